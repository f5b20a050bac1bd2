import assert from "node:assert/strict";
import { after } from "node:test";
import { type Api, builtInResources, createApi, openMemoryStore, type Store } from "@trivium/apiserver";
import type { AnyObject, ApiRequest, Status } from "@trivium/kube";
import type { Identity } from "../../src/identity.ts";
import type { ApiOptions } from "../../src/server.ts";

/** A whole API on a store in memory, and short ways to talk to it. */
export interface Harness {
  readonly api: Api;
  readonly store: Store;
  send(method: ApiRequest["method"], path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body: unknown): Promise<Answer>;
  put(path: string, body: unknown): Promise<Answer>;
  patch(path: string, body: unknown, kind?: keyof typeof patchTypes): Promise<Answer>;
  remove(path: string, body?: unknown): Promise<Answer>;
  /** The lines of a watch until there are enough of them. */
  watch(path: string, headers?: Record<string, string>): Promise<Lines>;
}

export interface Answer {
  readonly status: number;
  readonly warnings: readonly string[];
  readonly text: string;
  readonly object: AnyObject;
  readonly failure: Status;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into objects of every shape
  readonly json: any;
}

export interface Lines {
  take(count: number): Promise<WatchLine[]>;
  /** All that come until the stream ends. */
  rest(): Promise<WatchLine[]>;
  stop(): void;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into objects of every shape
export type WatchLine = { type: string; object: any };

export const patchTypes = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

export const asTable = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
export const asPartial = { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" };

export async function startApi(options: Partial<ApiOptions> = {}): Promise<Harness> {
  const store = options.store ?? (await openMemoryStore());
  const faults: unknown[] = [];
  const log = (message: string, error: unknown) => faults.push(new Error(message, { cause: error }));
  const api = createApi({ resources: builtInResources(), log, ...options, store });
  await api.ready;
  after(async () => {
    await api.close();
    await store.close();
    assert.deepEqual(faults, [], "the server reported no fault of its own");
  });
  return { api, store, ...talkAs(api, { user: "tester", groups: ["system:masters"] }) };
}

/** The same short ways for another caller. */
export function talkAs(api: Api, identity: Identity): Omit<Harness, "api" | "store"> {
  const transport = api.transport(identity);
  const send: Harness["send"] = async (method, path, body, headers = {}) => {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const json = body === undefined ? {} : { "content-type": "application/json" };
    const response = await transport({
      method,
      path,
      headers: { "user-agent": "tester/1.0", ...json, ...headers },
      body: text,
    });
    return answerOf(response.status, response.headers.warning, await wholeText(response.body));
  };
  return {
    send,
    get: (path, headers) => send("GET", path, undefined, headers),
    post: (path, body) => send("POST", path, body),
    put: (path, body) => send("PUT", path, body),
    patch: (path, body, kind = "merge") => send("PATCH", path, body, { "content-type": patchTypes[kind] }),
    remove: (path, body) => send("DELETE", path, body),
    watch: async (path, headers = {}) => {
      const controller = new AbortController();
      const response = await transport({ method: "GET", path, headers, signal: controller.signal });
      assert.equal(response.status, 200, typeof response.body === "string" ? response.body : "");
      return linesOf(response.body as AsyncIterable<string>, () => controller.abort());
    },
  };
}

async function wholeText(body: string | AsyncIterable<string>): Promise<string> {
  if (typeof body === "string") return body;
  let text = "";
  for await (const piece of body) text += piece;
  return text;
}

function answerOf(status: number, warning: string | readonly string[] | undefined, text: string): Answer {
  const warnings = warning === undefined ? [] : typeof warning === "string" ? [warning] : warning;
  const parse = () => JSON.parse(text);
  return {
    status,
    warnings,
    text,
    get object() {
      return parse();
    },
    get failure() {
      return parse();
    },
    get json() {
      return parse();
    },
  };
}

function linesOf(body: AsyncIterable<string>, stop: () => void): Lines {
  const pieces = body[Symbol.asyncIterator]();
  let buffer = "";
  const next = async (): Promise<WatchLine | undefined> => {
    for (;;) {
      const end = buffer.indexOf("\n");
      if (end !== -1) {
        const line = buffer.slice(0, end);
        buffer = buffer.slice(end + 1);
        return JSON.parse(line) as WatchLine;
      }
      const piece = await pieces.next();
      if (piece.done === true) return undefined;
      buffer += piece.value;
    }
  };
  return {
    take: async (count) => {
      const lines: WatchLine[] = [];
      while (lines.length < count) {
        const line = await next();
        assert.ok(line !== undefined, `the watch ended after ${lines.length} of ${count} lines`);
        lines.push(line);
      }
      return lines;
    },
    rest: async () => {
      const lines: WatchLine[] = [];
      for (let line = await next(); line !== undefined; line = await next()) lines.push(line);
      return lines;
    },
    stop,
  };
}

export const configMaps = "/api/v1/namespaces/default/configmaps";
export const configMap = (name: string, rest: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  ...rest,
});

export const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
export const widgets = "/apis/shop.example/v1/namespaces/default/widgets";

/** A CRD with one of everything. `change` may alter it before it is used. */
// biome-ignore lint/suspicious/noExplicitAny: tests change it at will
export function widgetDefinition(change: (crd: any) => void = () => undefined) {
  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.shop.example" },
    spec: {
      group: "shop.example",
      names: { kind: "Widget", plural: "widgets", shortNames: ["wd"] },
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: {
            status: {},
            scale: {
              specReplicasPath: ".spec.replicas",
              statusReplicasPath: ".status.replicas",
              labelSelectorPath: ".status.selector",
            },
          },
          additionalPrinterColumns: [
            { name: "Size", type: "integer", jsonPath: ".spec.size" },
            { name: "Color", type: "string", jsonPath: ".spec.color", priority: 1 },
          ],
          selectableFields: [{ jsonPath: ".spec.color" }],
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: {
                  type: "object",
                  required: ["size"],
                  properties: {
                    size: {
                      type: "integer",
                      minimum: 1,
                      "x-kubernetes-validations": [{ rule: "self >= oldSelf", message: "size never shrinks" }],
                    },
                    replicas: { type: "integer", default: 2 },
                    color: { type: "string", enum: ["red", "blue"] },
                    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                  },
                },
                status: {
                  type: "object",
                  properties: {
                    phase: { type: "string" },
                    replicas: { type: "integer" },
                    selector: { type: "string" },
                  },
                },
              },
            },
          },
        },
      ],
    },
  };
  change(crd);
  return crd;
}

export const widget = (name: string, spec: object = { size: 1 }) => ({
  apiVersion: "shop.example/v1",
  kind: "Widget",
  metadata: { name },
  spec,
});
