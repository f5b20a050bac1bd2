import { type ApiRequest, type ApiResponse, definitions as builtInDefinitions } from "@trivium/kube";
import { acceptsJson } from "../discovery/accept.ts";
import { type DocumentSource, etagOf, jsonAnswer, notAcceptable } from "../discovery/document.ts";
import { type GroupVersion, groupResources } from "../discovery/groups.ts";
import type { Registry } from "../registry.ts";
import { type Definitions, indexKinds } from "./definitions.ts";
import { type Catalog, definitionsOf, fingerprint, groupVersionDocument } from "./group-version.ts";
import { swaggerDocument } from "./swagger.ts";

export type { Definitions } from "./definitions.ts";

/** Clients keep what they fetched by its hash, so finished documents are asked for rarely and only a few are kept. */
const keptDocuments = 2;

interface Snapshot {
  readonly revision: number;
  /** By the path behind `/openapi/v3/`: `api/v1`, `apis/apps/v1`. */
  readonly entries: ReadonlyMap<string, { of: GroupVersion; hash: string }>;
  readonly texts: Map<string, string>;
  /** Of `/openapi/v2`, once that was requested: its text is megabytes, so only this is kept. */
  swaggerTag?: string;
}

interface Current {
  readonly snapshot: Snapshot;
  readonly catalog: Catalog;
}

/** Answers `/openapi/v3`, its documents and `/openapi/v2`. */
export function createOpenApi(
  registry: Registry,
  definitions: Definitions = builtInDefinitions as unknown as Definitions,
): DocumentSource {
  let catalog: Catalog | undefined;
  let snapshot: Snapshot | undefined;
  const current = (): Current => {
    catalog ??= catalogOf(definitions);
    if (snapshot?.revision !== registry.revision) snapshot = takeSnapshot(registry, catalog);
    return { snapshot, catalog };
  };
  return (request) => {
    const [path = "", query = ""] = request.path.split("?", 2);
    if (!path.startsWith("/openapi/")) return undefined;
    if (request.method !== "GET" && request.method !== "HEAD") return undefined;
    if (!acceptsJson(request.headers.accept)) return notAcceptable("application/json");
    if (path === "/openapi/v3") return answerIndex(current().snapshot);
    if (path === "/openapi/v2") return answerSwagger(request, registry, current());
    if (!path.startsWith("/openapi/v3/")) return undefined;
    return answerDocument(
      request,
      path.slice("/openapi/v3/".length),
      new URLSearchParams(query).get("hash"),
      current(),
    );
  };
}

function catalogOf(definitions: Definitions): Catalog {
  return { definitions, kinds: indexKinds(definitions) };
}

function takeSnapshot(registry: Registry, catalog: Catalog): Snapshot {
  const versions = groupResources(registry.all()).flatMap((group) => group.versions);
  const entries = versions
    .map((of) => [keyOf(of), { of, hash: fingerprint(of, catalog) }] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return { revision: registry.revision, entries: new Map(entries), texts: new Map() };
}

function keyOf({ group, version }: GroupVersion): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`;
}

function answerIndex(snapshot: Snapshot): ApiResponse {
  const paths = Object.fromEntries(
    [...snapshot.entries].map(([key, { hash }]) => [key, { serverRelativeURL: `/openapi/v3/${key}?hash=${hash}` }]),
  );
  return jsonAnswer(JSON.stringify({ paths }));
}

/** With the right hash the answer never changes and may be kept for ever; with an outdated one the client is sent to the new. */
function answerDocument(
  request: ApiRequest,
  key: string,
  hash: string | null,
  { snapshot, catalog }: Current,
): ApiResponse {
  const entry = snapshot.entries.get(key);
  if (entry === undefined) return { status: 404, headers: {}, body: "" };
  const headers = { etag: `"${entry.hash}"`, vary: "Accept" };
  if (hash !== null && hash !== entry.hash) {
    return { status: 301, headers: { ...headers, location: `/openapi/v3/${key}?hash=${entry.hash}` }, body: "" };
  }
  if (request.headers["if-none-match"] === headers.etag) return { status: 304, headers, body: "" };
  const keep = hash === null ? {} : { "cache-control": "public, immutable", expires: inOneYear() };
  return jsonAnswer(textOf(key, entry.of, { snapshot, catalog }), { ...headers, ...keep });
}

function textOf(key: string, of: GroupVersion, { snapshot, catalog }: Current): string {
  const known = snapshot.texts.get(key);
  if (known !== undefined) return known;
  const text = groupVersionDocument(of, catalog);
  if (snapshot.texts.size >= keptDocuments) snapshot.texts.delete(snapshot.texts.keys().next().value as string);
  snapshot.texts.set(key, text);
  return text;
}

function inOneYear(): string {
  return new Date(Date.now() + 365 * 24 * 3600 * 1000).toUTCString();
}

/** `kubectl apply` asks for it each time, with the tag of the copy that it keeps. */
function answerSwagger(request: ApiRequest, registry: Registry, { snapshot, catalog }: Current): ApiResponse {
  const vary = "Accept";
  const known = snapshot.swaggerTag;
  if (known !== undefined && request.headers["if-none-match"] === known) {
    return { status: 304, headers: { etag: known, vary }, body: "" };
  }
  const text = swaggerDocument({ ...catalog.definitions, ...definitionsOf(registry.all(), catalog) });
  const etag = etagOf(text);
  snapshot.swaggerTag = etag;
  return request.headers["if-none-match"] === etag
    ? { status: 304, headers: { etag, vary }, body: "" }
    : jsonAnswer(text, { etag, vary });
}
