import { gpuCount } from "../../../hardware/gpu-plan.ts";
import { Arguments } from "./arguments.ts";
import type { Engine } from "./engine.ts";

export const tgi: Engine = {
  container: "tgi",
  port: 80,
  takes: "repository",
  probes: { over: "http", startup: "/health", liveness: "/health" },
  metric: "tgi_queue_size",
  tellsLoad: true,
  tokenVariable: "HUGGING_FACE_HUB_TOKEN",
  listsModels: true,
  image: () => "ghcr.io/huggingface/text-generation-inference:3.3.7",
  architectures: ["amd64"],
  args({ service, gpu, port, weights, revision }) {
    const { spec } = service;
    const config = spec.tgiConfig ?? {};
    const args = new Arguments(spec.extraArgs).value("--model-id", weights).value("--revision", revision);
    args.value("--port", port).value("--hostname", spec.bindAddress ?? "::");
    args.value("--quantize", config.quantize).value("--max-input-length", config.maxInputLength);
    args.value("--max-total-tokens", config.maxTotalTokens ?? spec.contextSize).value("--dtype", config.dtype);
    const count = gpuCount(gpu);
    return args.value("--num-shard", count > 1 ? count : undefined).finish();
  },
};

export const ollama: Engine = {
  container: "ollama",
  port: 11434,
  takes: "nothing",
  probes: { over: "http", startup: "/api/version", liveness: "/api/version" },
  listsModels: true,
  image: () => "docker.io/ollama/ollama:0.12.6",
  args: ({ service }) => service.spec.args ?? ["serve"],
};

export const personaPlex: Engine = {
  container: "personaplex",
  port: 8998,
  command: ["/app/moshi/.venv/bin/python", "-m", "moshi.server"],
  takes: "nothing",
  probes: { over: "tcp" },
  tokenVariable: "HF_TOKEN",
  env: [{ name: "NO_TORCH_COMPILE", value: "1" }],
  listsModels: false,
  args({ service }) {
    const config = service.spec.personaPlexConfig ?? {};
    const args = new Arguments(service.spec.extraArgs).value("--ssl", "/app/ssl");
    return args.flag("--quantize-4bit", config.quantize4Bit).flag("--cpu-offload", config.cpuOffload).finish();
  },
};

/** The user's own image, with the user's own words. */
export const generic: Engine = {
  container: "inference-server",
  port: 8080,
  takes: "nothing",
  probes: { over: "tcp" },
  listsModels: false,
  args: ({ service }) => [...(service.spec.args ?? []), ...(service.spec.extraArgs ?? [])],
};
