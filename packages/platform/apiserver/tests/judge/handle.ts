import type { Json, JsonObject } from "@trivium/std";
import { type Call, type CallStep, call, type WaitStep, type WatchStep } from "./sequence.ts";

/** Short ways to write the calls of one resource. */
export interface Handle {
  readonly apiVersion: string;
  readonly kind: string;
  /** The path of the collection, or of one object, or of a subresource of it. */
  at(name?: string, query?: string): string;
  /** The manifest: apiVersion, kind and name are filled in. */
  object(name: string, rest?: JsonObject): JsonObject;
  create(name: string, rest?: JsonObject, query?: string): CallStep;
  post(body: Json, query?: string, headers?: Record<string, string>): CallStep;
  get(name: string, query?: string): CallStep;
  list(query?: string): CallStep;
  put(name: string, rest: JsonObject, query?: string): CallStep;
  apply(name: string, rest: JsonObject, manager?: string, query?: string): CallStep;
  force(name: string, rest: JsonObject, manager?: string): CallStep;
  merge(name: string, body: Json, query?: string): CallStep;
  strategic(name: string, body: Json, query?: string): CallStep;
  json(name: string, body: Json, query?: string): CallStep;
  remove(name: string, options?: JsonObject, query?: string): CallStep;
  removeAll(query?: string, options?: JsonObject): CallStep;
  table(name?: string, query?: string): CallStep;
  partial(name?: string, query?: string): CallStep;
  watch(watch: string, query?: string, headers?: Record<string, string>): WatchStep;
  wait(name: string, until: WaitStep["until"]): WaitStep;
}

export const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

const asTable = "application/json;as=Table;v=v1;g=meta.k8s.io";
const asPartial = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
const asPartialList = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

export function namespaced(apiVersion: string, plural: string, kind: string): Handle {
  return handle(`${rootOf(apiVersion)}/namespaces/{ns}/${plural}`, apiVersion, kind);
}

export function clusterWide(apiVersion: string, plural: string, kind: string): Handle {
  return handle(`${rootOf(apiVersion)}/${plural}`, apiVersion, kind);
}

const rootOf = (apiVersion: string): string =>
  apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;

function handle(root: string, apiVersion: string, kind: string): Handle {
  const at = (name = "", query = ""): string =>
    `${root}${name === "" ? "" : `/${name}`}${query === "" ? "" : `?${query}`}`;
  const object = (name: string, rest: JsonObject = {}): JsonObject => ({
    apiVersion,
    kind,
    ...rest,
    metadata: { name, ...((rest.metadata as JsonObject | undefined) ?? {}) },
  });
  const patch = (name: string, body: Json, type: keyof typeof patchTypes, query = ""): CallStep =>
    call("PATCH", at(name, query), body, { "content-type": patchTypes[type] });
  const applied = (name: string, rest: JsonObject, query: string): CallStep =>
    patch(name, object(name.split("/")[0] as string, rest), "apply", query);
  return {
    apiVersion,
    kind,
    at,
    object,
    create: (name, rest, query) => call("POST", at("", query), object(name, rest)),
    post: (body, query, headers) => call("POST", at("", query), body, headers),
    get: (name, query) => call("GET", at(name, query)),
    list: (query) => call("GET", at("", query)),
    put: (name, rest, query) => call("PUT", at(name, query), object(name.split("/")[0] as string, rest)),
    apply: (name, rest, manager = "one", query = "") =>
      applied(name, rest, `fieldManager=${manager}${query === "" ? "" : `&${query}`}`),
    force: (name, rest, manager = "one") => applied(name, rest, `fieldManager=${manager}&force=true`),
    merge: (name, body, query) => patch(name, body, "merge", query),
    strategic: (name, body, query) => patch(name, body, "strategic", query),
    json: (name, body, query) => patch(name, body, "json", query),
    remove: (name, options, query) => call("DELETE", at(name, query), options),
    removeAll: (query, options) => call("DELETE", at("", query), options),
    table: (name, query) => call("GET", at(name, query), undefined, { accept: asTable }),
    partial: (name = "", query = "") =>
      call("GET", at(name, query), undefined, { accept: name === "" ? asPartialList : asPartial }),
    watch: (watch, query = "", headers) => {
      const request: Call = { method: "GET", path: at("", `watch=true${query === "" ? "" : `&${query}`}`) };
      return { is: "watch", watch, ...request, ...(headers === undefined ? {} : { headers }) };
    },
    wait: (name, until) => ({ is: "wait", method: "GET", path: at(name), until }),
  };
}
