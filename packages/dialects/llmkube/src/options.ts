import { ownImage } from "@trivium/domain";
import { defaultResources, type GpuResources } from "./hardware/gpu-resource.ts";

/** What whoever runs the operator decides for all Models and services. */
export interface LlmkubeOptions {
  /** Folders of the operator's machine that sources may name. None: local sources are refused. */
  readonly localRoots: readonly string[];
  /** Whether pods read files of the node where they lie, or copy them to the cache first, where nobody changes them. */
  readonly localFiles: "copied" | "read in place";
  /** What llama.cpp services cannot have on the engine that runs them here. */
  readonly engineLimits: readonly EngineLimit[];
  /** Whether slots of llama.cpp that nobody counts share one context, as in its own server, or each have one. */
  readonly slotContexts: "shared" | "own";
  readonly cache: CacheOptions;
  readonly images: ImageOptions;
  /** Group that owns what pods write; undefined leaves it to the cluster, as OpenShift wants. */
  readonly fsGroup: number | undefined;
  /** Group that owns the render nodes of GPUs, where pods need it. */
  readonly renderGroup: number | undefined;
  /** Whether pods carry the annotations by which Prometheus finds them. */
  readonly scraping: "annotated" | "plain";
  /** What the device plugins of the cluster call GPUs. */
  readonly gpuResources: GpuResources;
  /** Labels of nodes whose GPUs are shared by turns. */
  readonly sharedPool: Readonly<Record<string, string>>;
  /** Gateway of the routes of all services, `namespace/name`; an annotation of the service wins. None: services have no routes. */
  readonly gateway: string | undefined;
  /** ConfigMap with certificates that downloads trust besides the usual ones; in the namespace of the service. */
  readonly certificates: string | undefined;
}

export interface EngineLimit {
  readonly field: string;
  /** Values of its `type` that are meant; left out: all that turn it on. */
  readonly types?: readonly string[];
  /** Refused when the service is applied, or accepted and reported as without effect. */
  readonly outcome: "refused" | "ignored";
  /** The reason, with the remedy. */
  readonly why: string;
}

export interface CacheOptions {
  /** `none` gives every pod a folder of its own. */
  readonly mode: "shared" | "perService" | "none";
  readonly size: string;
  readonly accessMode: "ReadWriteOnce" | "ReadWriteMany";
  readonly storageClass: string | undefined;
  /** Space that the cached weights of a namespace can use together in shared mode; an annotation of the namespace wins. */
  readonly budget: string | undefined;
  /** So long after their last use, weights of deleted Models are deleted in shared mode; undefined keeps them. */
  readonly keepSeconds: number | undefined;
  /** Whether a container makes the volume writable first: some file systems ignore `fsGroup`. */
  readonly preparation: "chown" | "none";
}

export interface ImageOptions {
  /** The image with `trivium-weights`, which fetches and checks weights. */
  readonly weights: string;
  /** Has a shell, `chown` and `chmod`. */
  readonly preparation: string;
  /** Engine images in place of the usual ones, by runtime. */
  readonly runtimes: Readonly<Record<string, string>>;
}

export const defaultOptions: LlmkubeOptions = {
  localRoots: [],
  localFiles: "copied",
  engineLimits: [],
  slotContexts: "shared",
  cache: {
    mode: "shared",
    size: "100Gi",
    accessMode: "ReadWriteOnce",
    storageClass: undefined,
    budget: undefined,
    keepSeconds: undefined,
    preparation: "chown",
  },
  images: {
    weights: ownImage("weights"),
    preparation: "docker.io/library/busybox:1.37.0",
    runtimes: {},
  },
  fsGroup: 102,
  renderGroup: undefined,
  scraping: "plain",
  gpuResources: defaultResources,
  sharedPool: {},
  gateway: undefined,
  certificates: undefined,
};
