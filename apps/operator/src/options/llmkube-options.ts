import { type LlmkubeOptions, llmkubeDefaults } from "@trivium/llmkube";
import { isAddressException } from "@trivium/probes";
import { parseDuration, parseQuantity } from "@trivium/std";
import { type Command, InvalidArgumentError, Option } from "commander";

/** What a person chooses for all Models and services of LLMKube; the names of the flags are those of its own operator. */
interface Flags {
  readonly modelCachePath: "/models" | "";
  readonly modelCacheSize: string;
  readonly modelCacheBudget?: string;
  readonly modelCacheKeep?: number;
  readonly llmkubeGateway?: string;
  readonly modelCacheStorageClass?: string;
  readonly modelCacheAccessMode: LlmkubeOptions["cache"]["accessMode"];
  readonly modelCacheMode: "shared" | "perService";
  readonly allowedHostPathRoots: readonly string[];
  readonly allowedRemoteHosts: readonly string[];
  readonly runtimeImages: Readonly<Record<string, string>>;
  readonly defaultFsgroup: number;
  readonly driRenderGid: number;
  readonly emitScrapeAnnotations?: true;
  readonly caCertConfigmap?: string;
  readonly initContainerImage: string;
  readonly weightsImage: string;
  readonly amdGpuResource: string;
  readonly intelGpuResource: string;
  readonly gpuSharingSharedPoolSelector: Readonly<Record<string, string>>;
}

const { cache, images, gpuResources, fsGroup = 0 } = llmkubeDefaults;

export function addLlmkubeOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--model-cache-path <path>", 'path of the model cache in pods; "" gives each pod its own emptyDir')
        .choices(["/models", ""])
        .default("/models"),
    )
    .option("--model-cache-size <quantity>", "size of a model cache", quantity, cache.size)
    .option(
      "--model-cache-budget <quantity>",
      "space for the cached weights of a namespace (default: no limit)",
      quantity,
    )
    .option(
      "--model-cache-keep <duration>",
      "how long cached weights of deleted Models are kept, such as 24h (default: forever)",
      duration,
    )
    .option("--llmkube-gateway <namespace/name>", "Gateway of the HTTPRoutes of services (default: no routes)", gateway)
    .option("--model-cache-storage-class <name>", "storage class of model caches (default: that of the cluster)")
    .addOption(
      new Option("--model-cache-access-mode <mode>", "access mode of the shared cache")
        .choices(["ReadWriteOnce", "ReadWriteMany"])
        .default(cache.accessMode),
    )
    .addOption(
      new Option("--model-cache-mode <mode>", "one cache per namespace, or one per service")
        .choices(["shared", "perService"])
        .default("shared"),
    )
    .option("--allowed-host-path-roots <paths>", "folders that local sources can be in", paths, [])
    .option("--allowed-remote-hosts <hosts>", "private hosts, addresses and networks that sources can use", hosts, [])
    .option("--runtime-images <list>", "engine images, such as llamacpp=image,vllm=image", pairs, {})
    .option("--default-fsgroup <id>", "fsGroup of pods; 0 for the default of the cluster", whole, fsGroup)
    .option("--dri-render-gid <id>", "group of the GPU render devices; 0 for none", whole, 0)
    .option("--emit-scrape-annotations", "annotate pods for Prometheus")
    .option("--ca-cert-configmap <name>", "ConfigMap with additional CA certificates for downloads")
    .option("--init-container-image <image>", "image with a shell that makes a cache writable", images.preparation)
    .option("--amd-gpu-resource <name>", "resource name of AMD GPUs", resource, gpuResources.amd)
    .option("--intel-gpu-resource <name>", "resource name of Intel GPUs", resource, gpuResources.intel)
    .option("--gpu-sharing-shared-pool-selector <labels>", "labels of nodes with time-sliced GPUs", pairs, {});
}

export function llmkubeOptionsOf(flags: Flags): LlmkubeOptions {
  return {
    localRoots: flags.allowedHostPathRoots,
    localFiles: "copied",
    engineLimits: [],
    slotContexts: "shared",
    cache: {
      mode: flags.modelCachePath === "" ? "none" : flags.modelCacheMode,
      size: flags.modelCacheSize,
      accessMode: flags.modelCacheAccessMode,
      storageClass: flags.modelCacheStorageClass,
      budget: flags.modelCacheBudget,
      keepSeconds: flags.modelCacheKeep,
      preparation: "chown",
    },
    images: {
      weights: flags.weightsImage,
      preparation: flags.initContainerImage,
      runtimes: flags.runtimeImages,
    },
    fsGroup: flags.defaultFsgroup > 0 ? flags.defaultFsgroup : undefined,
    renderGroup: flags.driRenderGid > 0 ? flags.driRenderGid : undefined,
    scraping: flags.emitScrapeAnnotations === true ? "annotated" : "plain",
    gpuResources: { amd: flags.amdGpuResource, intel: flags.intelGpuResource },
    sharedPool: flags.gpuSharingSharedPoolSelector,
    gateway: flags.llmkubeGateway,
    certificates: flags.caCertConfigmap || undefined,
  };
}

const listOf = (text: string): string[] =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");

function paths(text: string): string[] {
  const wrong = listOf(text).find((path) => !path.startsWith("/") || path === "/");
  if (wrong !== undefined) throw new InvalidArgumentError(`${wrong} is not an absolute path below /`);
  return listOf(text);
}

function hosts(text: string): string[] {
  const wrong = listOf(text).find((host) => !isAddressException(host));
  if (wrong !== undefined) throw new InvalidArgumentError(`${wrong} is not a valid host, address or network`);
  return listOf(text);
}

function pairs(text: string): Record<string, string> {
  return Object.fromEntries(
    listOf(text).map((pair) => {
      const [key = "", ...value] = pair.split("=");
      if (key === "" || value.length === 0) throw new InvalidArgumentError("Expected name=value, separated by commas");
      return [key, value.join("=")];
    }),
  );
}

function resource(text: string): string {
  if (!/^[a-z0-9.-]+\/[a-z0-9._-]+$/.test(text))
    throw new InvalidArgumentError("Expected domain/name, such as amd.com/gpu");
  return text;
}

function gateway(text: string): string {
  if (!/^[a-z0-9-]+\/[a-z0-9.-]+$/.test(text)) throw new InvalidArgumentError("Expected namespace/name");
  return text;
}

function duration(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined || milliseconds < 0) throw new InvalidArgumentError("Expected a duration such as 24h");
  return milliseconds / 1000;
}

function quantity(text: string): string {
  if (parseQuantity(text) === undefined) throw new InvalidArgumentError("Expected a quantity such as 100Gi");
  return text;
}

function whole(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new InvalidArgumentError("Expected a whole number");
  return Number(text);
}
