import type { Json, JsonObject } from "@trivium/std";
import type { Kind } from "./kind.ts";
import type { AnyObject, KubeList, KubeObject, ListMeta, Ref } from "./object.ts";

/** The port through which everything above reads and writes Kubernetes objects. Failures are `ApiError`s. */
export interface KubeClient {
  get<O extends KubeObject>(kind: Kind<O>, ref: Ref, options?: CallOptions): Promise<O>;
  list<O extends KubeObject>(kind: Kind<O>, options?: ListOptions): Promise<KubeList<O>>;
  watch<O extends KubeObject>(kind: Kind<O>, options?: WatchOptions): AsyncIterable<WatchEvent<O>>;
  create<O extends KubeObject>(kind: Kind<O>, object: O, options?: WriteOptions): Promise<O>;
  replace<O extends KubeObject>(kind: Kind<O>, object: O, options?: WriteOptions): Promise<O>;
  patch<O extends KubeObject>(kind: Kind<O>, ref: Ref, patch: Patch, options?: WriteOptions): Promise<O>;
  /** Server-side apply. */
  apply<O extends KubeObject>(kind: Kind<O>, object: O, options: ApplyOptions): Promise<O>;
  delete(kind: Kind, ref: Ref, options?: DeleteOptions): Promise<void>;
  log(pod: Ref, options?: LogOptions): AsyncIterable<string>;
  /** Which kinds the server serves, from aggregated discovery. */
  discover(options?: CallOptions): Promise<readonly ServedResource[]>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface ListOptions extends CallOptions {
  /** All namespaces when left out. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
}

export interface WatchOptions extends CallOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  readonly timeoutSeconds?: number;
}

export type WatchEvent<O extends KubeObject = AnyObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: O }
  | {
      readonly type: "BOOKMARK";
      readonly object: { readonly metadata: ListMeta & { annotations?: Record<string, string> } };
    };

export interface WriteOptions extends CallOptions {
  readonly subresource?: "status" | "scale";
  readonly fieldManager?: string;
  readonly dryRun?: boolean;
  readonly fieldValidation?: "Strict" | "Warn" | "Ignore";
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  readonly force?: boolean;
}

export type Patch =
  | { readonly type: "json"; readonly body: readonly JsonPatchOperation[] }
  | { readonly type: "merge"; readonly body: JsonObject }
  | { readonly type: "strategic"; readonly body: JsonObject };

export interface JsonPatchOperation {
  op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  path: string;
  from?: string;
  value?: Json;
}

export interface DeleteOptions extends CallOptions {
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface LogOptions extends CallOptions {
  readonly container?: string;
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly sinceSeconds?: number;
  readonly sinceTime?: string;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  readonly timestamps?: boolean;
}

export interface ServedResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}
