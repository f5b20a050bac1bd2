import {
  type ApiRequest,
  type ApiResponse,
  apiVersionOf,
  type CallOptions,
  type Kind,
  type KubeClient,
  type KubeList,
  type KubeObject,
  type LogOptions,
  type Patch,
  type Ref,
  type Transport,
  type WatchEvent,
  type WatchOptions,
  type WriteOptions,
} from "@trivium/kube";
import { callApi, nameOf } from "./call-api.ts";
import { createDiscovery } from "./discover.ts";
import { errorOfSilence } from "./failures.ts";
import { lineBatches } from "./lines.ts";
import { collectionPath, creationPath, objectPath, query, refOf } from "./paths.ts";
import { textOf } from "./text.ts";
import { readWatch } from "./watch.ts";

const podKind: Kind = { group: "", version: "v1", kind: "Pod", plural: "pods", namespaced: true };
const accept = { accept: "application/json" };
const patchTypes: Record<Patch["type"], string> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
};

/** The client port over any transport: HTTP to a cluster, or the embedded server in this process. */
export function createClient(transport: Transport): KubeClient {
  const send = (request: ApiRequest) => callApi(transport, request);
  const read = async <T>(request: ApiRequest): Promise<T> => JSON.parse(await textOf(await send(request))) as T;
  const write = <O>(call: Omit<ApiRequest, "headers">, type = "application/json"): Promise<O> =>
    read<O>({ ...call, headers: { ...accept, "content-type": type } });
  const get = <T>(path: string, options: CallOptions = {}): Promise<T> =>
    read<T>({ method: "GET", path, headers: accept, signal: options.signal });

  return {
    async get(kind, ref, options) {
      return get(objectPath(kind, ref), options);
    },

    async list<O extends KubeObject>(kind: Kind<O>, options = {}) {
      const { namespace, signal, ...parameters } = options as { namespace?: string; signal?: AbortSignal };
      const call = signal === undefined ? {} : { signal };
      const list = await get<KubeList<O>>(collectionPath(kind, namespace) + query(parameters), call);
      return withHeads(kind, list);
    },

    watch: <O extends KubeObject>(kind: Kind<O>, options: WatchOptions = {}) => watch<O>(send, kind, options),

    async create(kind, object, options = {}) {
      const path = creationPath(kind, object) + query(writeQuery(options));
      return write({ method: "POST", path, body: bodyOf(kind, object), signal: options.signal });
    },

    async replace(kind, object, options = {}) {
      const path = objectPath(kind, refOf(kind, object), options.subresource) + query(writeQuery(options));
      return write({ method: "PUT", path, body: bodyOf(kind, object), signal: options.signal });
    },

    async patch(kind, ref, patch, options = {}) {
      const path = objectPath(kind, ref, options.subresource) + query(writeQuery(options));
      const body = JSON.stringify(patch.body);
      return write({ method: "PATCH", path, body, signal: options.signal }, patchTypes[patch.type]);
    },

    async apply(kind, object, options) {
      const parameters = { ...writeQuery(options), force: options.force };
      const path = objectPath(kind, refOf(kind, object), options.subresource) + query(parameters);
      const body = bodyOf(kind, object);
      return write({ method: "PATCH", path, body, signal: options.signal }, "application/apply-patch+yaml");
    },

    async delete(kind, ref, options = {}) {
      const { signal, ...requests } = options;
      const body = JSON.stringify({ kind: "DeleteOptions", apiVersion: "v1", ...requests });
      await write({ method: "DELETE", path: objectPath(kind, ref), body, signal });
    },

    log: (pod, options = {}) => readLog(send, pod, options),

    discover: createDiscovery(send),
  };
}

type Send = (request: ApiRequest) => Promise<ApiResponse>;

async function* watch<O extends KubeObject>(
  send: Send,
  kind: Kind<O>,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<O>> {
  const { namespace, signal, ...parameters } = options;
  // The server demands this match whenever it is asked to begin with what exists.
  const match = options.sendInitialEvents === undefined ? undefined : "NotOlderThan";
  const path = collectionPath(kind, namespace) + query({ watch: true, ...parameters, resourceVersionMatch: match });
  const request: ApiRequest = { method: "GET", path, headers: accept, signal };
  const call = nameOf(request);
  try {
    const { body } = await send(request);
    yield* readWatch<O>(body, call);
  } catch (error) {
    // Who aborts a watch wants it to end, and needs no error to learn of it.
    if (signal?.aborted) return;
    throw error instanceof Error && error.name === "ApiError" ? error : errorOfSilence(error, call);
  }
}

/** The lines of a pod's log, without their line ends. */
async function* readLog(send: Send, pod: Ref, options: LogOptions): AsyncGenerator<string> {
  const { signal, ...parameters } = options;
  const path = objectPath(podKind, pod, "log") + query({ ...parameters });
  try {
    const { body } = await send({ method: "GET", path, headers: { accept: "text/plain, */*" }, signal });
    for await (const lines of lineBatches(body)) yield* lines;
  } catch (error) {
    if (signal?.aborted) return;
    throw error;
  }
}

const writeQuery = (options: WriteOptions) => ({
  fieldManager: options.fieldManager,
  fieldValidation: options.fieldValidation,
  dryRun: options.dryRun ? "All" : undefined,
});

/** What is created at a subresource can be of another group than its address: `pods/<name>/eviction` takes a `policy/v1` object. */
function bodyOf(kind: Kind, object: KubeObject): string {
  const head = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  return JSON.stringify(kind.plural.includes("/") ? { ...head, ...object } : { ...object, ...head });
}

/** A server leaves kind and version out of the items of built-in lists; everybody above wants them there. */
function withHeads<O extends KubeObject>(kind: Kind<O>, list: KubeList<O>): KubeList<O> {
  const head = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  const items = (list.items ?? []).map((item) => (item.kind === undefined ? Object.assign({ ...head }, item) : item));
  return { ...list, metadata: list.metadata ?? {}, items };
}
