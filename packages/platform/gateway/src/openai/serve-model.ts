import type { ServedModel } from "@trivium/domain";
import {
  isOffered,
  listNames,
  type ModelDirectory,
  resolveUpstream,
  shownName,
  summarizeModels,
} from "@trivium/engines";
import type { ClusterView } from "../cluster/view.ts";
import { FailedRequest, type Failure, fail } from "../failure.ts";
import { type ReadBody, readBody } from "../http/body.ts";
import type { Exchange } from "../http/exchange.ts";
import { type ForwardParts, forward } from "../http/forward.ts";
import { forwardedHeaders } from "../http/headers.ts";
import type { ListedModels } from "../upstream/listed-models.ts";
import type { Targets } from "../upstream/targets.ts";
import { type Fields, prefixOf, replaceModel, requestAdapter, scanFields } from "./scan-fields.ts";
import type { OpenAiCall } from "./surface.ts";

/** Which page asks is the gateway's business alone: it has judged it, and says who may read the answer. */
const browserHeaders: ReadonlySet<string> = new Set(["origin", "access-control-request-method"]);

const joined = new WeakMap<ReadonlySet<string>, ReadonlySet<string>>();

/** Joined once for each set of the gateway, not for each request. */
function withBrowserHeaders(names: ReadonlySet<string>): ReadonlySet<string> {
  const known = joined.get(names) ?? new Set([...browserHeaders, ...names]);
  joined.set(names, known);
  return known;
}

export interface ModelParts extends ForwardParts {
  readonly view: ClusterView;
  readonly targets: Targets;
  readonly listed: ListedModels;
  readonly bodyBytes: number;
  /** Headers that must not reach a model server. */
  readonly withoutHeaders: ReadonlySet<string> | undefined;
}

/** Answers a call of the OpenAI surface. */
export function serveModel(exchange: Exchange, call: OpenAiCall, parts: ModelParts) {
  exchange.form = "openai";
  const { method } = exchange.request;
  const isRead = call.is !== "dispatch";
  if (isRead ? method !== "GET" && method !== "HEAD" : method !== "POST") {
    return refuse(
      exchange,
      parts,
      fail(
        405,
        "method_not_allowed",
        `Method ${method} is not allowed for ${exchange.path}; use ${isRead ? "GET" : "POST"}`,
      ),
    );
  }
  switch (call.is) {
    case "list":
      return exchange.answerJson(200, listModels(parts.view.models));
    case "model":
      return describeModel(exchange, call.id, parts);
    case "dispatch":
      exchange.wantBody();
      readBody(exchange.body, parts.bodyBytes, (read) => exchange.run(() => takeBody(exchange, read, call, parts)));
  }
}

function takeBody(exchange: Exchange, read: ReadBody, call: { readonly isRepeatable: boolean }, parts: ModelParts) {
  if (read.is === "body") return dispatch(exchange, read.body, call.isRepeatable, parts);
  if (read.is === "gone") return;
  const message = `The request body is too large (maximum: ${parts.bodyBytes} bytes)`;
  refuse(exchange, parts, fail(413, "request_too_large", message));
}

function refuse(exchange: Exchange, { metrics }: ModelParts, failure: Failure) {
  metrics.refused(failure.code);
  exchange.fail(failure);
}

function dispatch(exchange: Exchange, body: Buffer, isRepeatable: boolean, parts: ModelParts) {
  const scan = scanFields(body);
  if (scan.is === "bad") return refuse(exchange, parts, fail(400, "invalid_json", `Invalid request body: ${scan.why}`));
  const { fields } = scan;
  if (fields.model === undefined || fields.model === "") {
    const message = `\`model\` is missing; available: ${summarizeServing(parts.view)}`;
    return refuse(exchange, parts, fail(400, "model_missing", message));
  }
  const found = findModel(fields.model, parts.view);
  if (found.is !== "found") return refuse(exchange, parts, notFound(fields.model, parts.view));
  const asking = found.model.listed === undefined ? parts.listed.confirm(found.model.backend) : undefined;
  const send = (model: ServedModel) => sendOn(exchange, model, { body, fields, isRepeatable }, parts);
  if (asking === undefined) return send(found.model);
  // Its own names are being asked for: they say whether the requested one must be replaced.
  asking
    .then(() => {
      const again = findModel(fields.model as string, parts.view);
      // It has answered, and serves no models.
      if (again.is !== "found") return refuse(exchange, parts, notFound(fields.model as string, parts.view));
      send(again.model);
    })
    .catch((error: unknown) => exchange.crash(error));
}

interface Call {
  readonly body: Buffer;
  readonly fields: Fields;
  readonly isRepeatable: boolean;
}

function sendOn(exchange: Exchange, model: ServedModel, { body, fields, isRepeatable }: Call, parts: ModelParts) {
  const { request, path, query } = exchange;
  const target = parts.targets.of(model.backend);
  const requested = fields.model as string;
  const bodyFor = (served: ServedModel): Buffer => {
    const upstream = resolveUpstream(served, requested);
    if (upstream.is === "unloaded") throw new FailedRequest(unloaded(upstream.adapter, served));
    const named = upstream.name === requested ? body : replaceModel(body, fields, upstream.name);
    return upstream.adapter === undefined ? named : requestAdapter(named, upstream.adapter);
  };
  const upstream = resolveUpstream(model, requested);
  if (upstream.is === "unloaded") return refuse(exchange, parts, unloaded(upstream.adapter, model));
  const without = parts.withoutHeaders === undefined ? browserHeaders : withBrowserHeaders(parts.withoutHeaders);
  const headers = forwardedHeaders(request, { host: request.headers.host ?? "", without });
  forward(
    exchange,
    target,
    {
      method: "POST",
      path: query === "" ? path : `${path}?${query}`,
      headers,
      body: bodyFor(model),
      settleBody: () => parts.listed.known(target.name)?.then(() => bodyFor(currentOf(parts.view.models, model))),
      isRepeatable,
      wantsEvents: fields.isStream,
      isModelCall: true,
      prefix: target.hasAffinity ? prefixOf(body, fields) : undefined,
    },
    parts,
  );
}

const unloaded = (adapter: string, { backend, listed = [] }: ServedModel): Failure => {
  const names = listed.slice(0, 20).join(", ");
  const why = `the server of ${backend.namespace}/${backend.service} has not loaded it`;
  return fail(404, "model_not_found", `Adapter ${adapter} is not available: ${why}; it serves: ${names}`);
};

/** The same Service with what is known of it now: it may have woken since, and said what it serves. */
function currentOf(directory: ModelDirectory, { backend }: ServedModel): ServedModel {
  const found = directory.find(`${backend.namespace}/${backend.service}`);
  return found.is === "found" ? found.model : { backend, aliases: [], pods: "", isHeadless: false };
}

/** What a caller can use instead: a service that cannot start is no help. */
const summarizeServing = (view: ClusterView): string =>
  summarizeModels(view.models, ({ backend }) => view.canServe(backend));

/** The model of a name: of several that share it, the only one that can serve. A service that cannot start takes no name away. */
function findModel(name: string, view: ClusterView): ReturnType<ModelDirectory["find"]> {
  const found = view.models.find(name);
  if (found.is !== "ambiguous") return found;
  const able = found.names.filter((one) => canServe(one, view));
  if (able.length === 0) return found;
  return able.length === 1 ? view.models.find(able[0] ?? "") : { ...found, names: able };
}

function canServe(name: string, view: ClusterView): boolean {
  const found = view.models.find(name);
  return found.is === "found" && view.canServe(found.model.backend);
}

function notFound(name: string, view: ClusterView): Failure {
  const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name;
  const found = findModel(name, view);
  if (found.is === "ambiguous") {
    const names = found.names.slice(0, 20).join(", ");
    return fail(404, "model_not_found", `Model ${shown} is served by several Services; set model to one of: ${names}`);
  }
  return fail(404, "model_not_found", `Model ${shown} not found; available: ${summarizeServing(view)}`);
}

function describeModel(exchange: Exchange, id: string, parts: ModelParts) {
  const directory = parts.view.models;
  const found = directory.find(id);
  if (found.is !== "found" || !isOffered(found.model)) return refuse(exchange, parts, notFound(id, parts.view));
  exchange.answerJson(200, { ...entryOf(directory, found.model), id });
}

/** What is known to serve models, each with the namespace that owns it. */
function listModels(directory: ModelDirectory) {
  const entries = directory.models.filter(isOffered).map((model) => entryOf(directory, model));
  return { object: "list", data: entries };
}

function entryOf(directory: ModelDirectory, model: ServedModel) {
  const { namespace, service } = model.backend;
  return {
    id: shownName(directory, model),
    object: "model",
    created: 0,
    owned_by: namespace,
    service: `${namespace}/${service}`,
    names: listNames(model),
  };
}
