import type { AnyObject, api } from "@trivium/kube";
import type { Json } from "@trivium/std";

/**
 * A service in words that every API has a field for, or nearly: what a person asks for in one line, and what is carried from one API to
 * another. Everything after `labels` is as the user wrote it; absent means that the API decides.
 */
export interface PortableService {
  readonly name: string;
  readonly namespace?: string | undefined;
  /** `file:///path`, `hf://org/repo[@revision]`, `https://…`, `s3://…` or `pvc://claim/path`. */
  readonly source: string;
  /** The files of a repository that make up the model, the first one first; none where the source is the file. */
  readonly files: readonly string[];
  /** The repository has no other model: downloading all of it downloads these files. */
  readonly isWhole?: boolean | undefined;
  /** On every object, so that they are found again together. */
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** Name of the object that describes the weights, where it is not that of the service. */
  readonly modelName?: string | undefined;
  /** `cluster` where it is for all namespaces. */
  readonly modelScope?: "cluster" | undefined;
  readonly format?: "gguf" | "safetensors" | undefined;
  readonly sha256?: string | undefined;
  /** Where the token of the hub is. */
  readonly token?: SecretKey | undefined;
  /** The model name that clients use. */
  readonly servedName?: string | undefined;
  readonly engine?: PortableEngine | undefined;
  readonly contextTokens?: number | undefined;
  /** Requests that one replica works on at once. */
  readonly parallelRequests?: number | undefined;
  /** Whether the chat template is rendered with Jinja, which tool calls need. */
  readonly toolCalls?: true | undefined;
  readonly image?: string | undefined;
  readonly command?: readonly string[] | undefined;
  /** Arguments of the engine beyond those that have a field here. */
  readonly args?: readonly string[] | undefined;
  readonly env?: readonly api.EnvVar[] | undefined;
  readonly imagePullSecrets?: readonly string[] | undefined;
  readonly serviceAccountName?: string | undefined;
  /** Fixed; or bounds. */
  readonly replicas?: number | undefined;
  readonly minReplicas?: number | undefined;
  readonly maxReplicas?: number | undefined;
  readonly cpu?: string | undefined;
  readonly cpuLimit?: string | undefined;
  readonly memory?: string | undefined;
  readonly memoryLimit?: string | undefined;
  readonly gpuCount?: number | undefined;
  /** Such as `nvidia.com/gpu`. */
  readonly gpuResource?: string | undefined;
  readonly gpuMemory?: string | undefined;
  readonly gpuModels?: readonly string[] | undefined;
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined;
  readonly tolerations?: readonly api.Toleration[] | undefined;
  readonly affinity?: api.Affinity | undefined;
}

export type PortableEngine = "llamacpp" | "vllm" | "sglang" | "tgi" | "generic";

export type PortableKey = keyof PortableService;

interface SecretKey {
  readonly name: string;
  readonly key: string;
}

/** The objects of a dialect for a portable service, or why its API cannot express it. */
export type WrittenService =
  | {
      readonly is: "written";
      readonly objects: readonly AnyObject[];
      readonly fields: WrittenFields;
      /** Values that the API requires although the service does not state them. */
      readonly assumed?: readonly AssumedField[] | undefined;
    }
  /** `instead` are the dialects that can. */
  | { readonly is: "impossible"; readonly why: string; readonly instead: readonly string[] };

/** Where each part of a portable service was written; a part that is not listed has no field. */
export type WrittenFields = Readonly<Partial<Record<PortableKey, WrittenField>>>;

interface WrittenField {
  /** Kind and path: `Model spec.source`. */
  readonly at: string;
  /** What differs, where the field comes close but does not mean the same. */
  readonly differs?: string | undefined;
}

export type AssumedField = Pick<ReadField, "kind" | "path">;

/** A service of a dialect and the objects it needs, as a portable service; with an account of every field that was read. */
export type ReadService =
  | { readonly is: "read"; readonly service: PortableService; readonly fields: readonly ReadField[] }
  | { readonly is: "impossible"; readonly why: string };

/** One field of an object; `key` is the part of the portable service that it became, if any. */
export interface ReadField {
  readonly kind: string;
  readonly name: string;
  readonly path: readonly string[];
  readonly value: Json;
  readonly key?: PortableKey | undefined;
  /** Why it has no counterpart, where its path does not tell. */
  readonly why?: string | undefined;
}
