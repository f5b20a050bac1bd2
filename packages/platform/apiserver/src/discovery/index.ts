import type { ApiRequest, ApiResponse } from "@trivium/kube";
import type { Registry } from "../registry.ts";
import { acceptsJson, chooseForm } from "./accept.ts";
import { type AggregatedVersion, apiGroupDiscoveryList } from "./aggregated.ts";
import { type DocumentSource, etagOf, jsonAnswer, notAcceptable, pageNotFound, refusal } from "./document.ts";
import { type Group, groupResources } from "./groups.ts";
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from "./plain.ts";
import { versionDocument } from "./version.ts";

export type { DocumentSource } from "./document.ts";
export { gitVersion, kubernetesVersion } from "./version.ts";

interface Snapshot {
  readonly revision: number;
  readonly groups: readonly Group[];
  /** Finished documents by the name they were asked for. */
  readonly texts: Map<string, { text: string; etag: string }>;
}

/** Answers `/`, `/api`, `/apis`, `/api/v1`, `/apis/<group>`, `/apis/<group>/<version>` and `/version`. */
export function createDiscovery(registry: Registry): DocumentSource {
  let snapshot: Snapshot = { revision: Number.NaN, groups: [], texts: new Map() };
  const current = (): Snapshot => {
    if (snapshot.revision === registry.revision) return snapshot;
    snapshot = { revision: registry.revision, groups: groupResources(registry.all()), texts: new Map() };
    return snapshot;
  };
  return (request) => {
    const segments = pathOf(request)
      .split("/")
      .filter((segment) => segment !== "");
    const [root, name, version, ...deeper] = segments;
    if (deeper.length > 0 || (root === "api" && version !== undefined)) return undefined;
    if (root !== undefined && root !== "api" && root !== "apis" && root !== "version") return undefined;
    if (request.method !== "GET" && request.method !== "HEAD") return methodNotAllowed;
    if (root === undefined) return answerPlain(request, { paths: rootPaths(current().groups) });
    if (root === "version") return name === undefined ? jsonAnswer(versionDocument()) : undefined;
    if (name === undefined) return answerRoot(request, root, current());
    const group = current().groups.find((group) => group.name === (root === "api" ? "" : name));
    if (group === undefined || (group.name === "") !== (root === "api")) return pageNotFound;
    if (root === "apis" && version === undefined) return answerPlain(request, apiGroup(group));
    const wanted = root === "api" ? name : version;
    const of = group.versions.find((candidate) => candidate.version === wanted);
    return of === undefined ? unknownResource : answerPlain(request, apiResourceList(of));
  };
}

const unknownResource = refusal(404, "NotFound", "the server could not find the requested resource");
const methodNotAllowed = refusal(
  405,
  "MethodNotAllowed",
  "the server does not allow this method on the requested resource",
);

function pathOf(request: ApiRequest): string {
  const query = request.path.indexOf("?");
  return query === -1 ? request.path : request.path.slice(0, query);
}

/** `/api` and `/apis`: one document for all groups, or only their names, as the client asks. */
function answerRoot(request: ApiRequest, root: "api" | "apis", snapshot: Snapshot): ApiResponse {
  const form = chooseForm(request.headers.accept);
  if (form.is === "none") return notAcceptable("application/json");
  if (form.is === "aggregated") return answerAggregated(request, root, snapshot, form.version);
  return answerPlain(request, root === "api" ? apiVersions(request.headers.host ?? "") : apiGroupList(snapshot.groups));
}

function answerAggregated(
  request: ApiRequest,
  root: "api" | "apis",
  snapshot: Snapshot,
  version: AggregatedVersion,
): ApiResponse {
  const key = `${root} ${version}`;
  let document = snapshot.texts.get(key);
  if (document === undefined) {
    const groups = snapshot.groups.filter((group) => (group.name === "") === (root === "api"));
    const text = JSON.stringify(apiGroupDiscoveryList(groups, version));
    document = { text, etag: etagOf(text) };
    snapshot.texts.set(key, document);
  }
  const headers = {
    "content-type": `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
    "cache-control": "public",
    etag: document.etag,
    vary: "Accept",
  };
  if (request.headers["if-none-match"] === document.etag) return { status: 304, headers, body: "" };
  return jsonAnswer(document.text, headers);
}

function answerPlain(request: ApiRequest, document: object): ApiResponse {
  if (!acceptsJson(request.headers.accept)) return notAcceptable("application/json");
  return jsonAnswer(JSON.stringify(document), { vary: "Accept" });
}

/** What `/` lists. */
function rootPaths(groups: readonly Group[]): string[] {
  const ofGroups = groups.flatMap((group) => {
    const base = group.name === "" ? "/api" : `/apis/${group.name}`;
    return [base, ...group.versions.map((of) => `${base}/${of.version}`)];
  });
  return [...ofGroups, "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"].sort();
}
