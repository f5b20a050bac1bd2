import type { PortableEngine, PortableService } from "@trivium/domain";
import { formatLaunch, imageOfEngine, launchOf } from "@trivium/engines";

const port = 8080;

/** A runtime for the format and engine of one service; llama.cpp serves GGUF files wherever they come from. */
export function runtimeFor(service: PortableService) {
  const { format = "gguf", gpuCount = 0, cpu, memory } = service;
  const engine = engineFor(service);
  const gpu = gpuCount === 0 ? undefined : (service.gpuResource ?? "nvidia.com/gpu");
  const gpus = gpu === undefined ? {} : { [gpu]: String(gpuCount) };
  return {
    supportedModelFormats: [{ modelFormat: { name: format }, modelFramework: { name: frameworks[format] } }],
    protocolVersions: ["openAI"],
    engineConfig: {
      runner: {
        name: "ome-container",
        image: service.image ?? imageOfEngine(engine, gpu),
        command: service.command,
        args: argumentsOf(service, engine),
        env: service.env,
        ports: [{ name: "http", containerPort: port }],
        resources: {
          requests: { cpu: cpu ?? "250m", memory },
          limits: { cpu: service.cpuLimit, memory: service.memoryLimit, ...gpus },
        },
        readinessProbe: { httpGet: { path: "/health", port: "http" }, periodSeconds: 1 },
      },
    },
  };
}

const frameworks = { gguf: "llama.cpp", safetensors: "transformers" };

/** An image that nobody named an engine for is started with its own arguments. */
export const engineFor = ({ engine, format, image }: PortableService): PortableEngine => {
  if (engine !== undefined) return engine;
  if (image !== undefined) return "generic";
  return format === "safetensors" ? "vllm" : "llamacpp";
};

function argumentsOf(service: PortableService, engine: PortableEngine): string[] | undefined {
  const { args = [], servedName = "$(SERVED_MODEL_NAME)", files, isWhole } = service;
  const file = isWhole === true ? undefined : files.find((one) => /\.gguf$/i.test(one));
  const launch = launchOf(engine);
  if (launch === undefined) return args.length === 0 ? undefined : [...args];
  const [host = "", portFlag = ""] = launch.address;
  const address = [host, "0.0.0.0", portFlag, String(port)];
  const metrics = launch.metrics === undefined || args.includes(launch.metrics) ? [] : [launch.metrics];
  const stated = formatLaunch(engine, { ...service, servedName });
  return [
    launch.model[0] ?? "",
    `$(MODEL_PATH)${file === undefined ? "" : `/${file}`}`,
    ...address,
    ...metrics,
    ...Object.values(stated).flat(),
    ...args,
  ];
}
