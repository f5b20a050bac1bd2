import type { ApiRequest } from "@trivium/kube";
import { badRequest, methodNotAllowed, unknownResource } from "./refusals.ts";
import type { Registry } from "./registry.ts";
import type { Resource, Verb } from "./resource.ts";

/** What a request is aimed at. */
export type Target =
  | { readonly is: "document" }
  | {
      readonly is: "resource";
      readonly resource: Resource;
      /** "" for cluster-scoped resources and for all namespaces. */
      readonly namespace: string;
      /** "" for the collection. */
      readonly name: string;
      /** "" for the resource itself. */
      readonly subresource: string;
      readonly isWatch: boolean;
    };

export type ResourceTarget = Extract<Target, { is: "resource" }>;

/** Reads the path. Throws a 404 for a path that has the form of a resource but names none. */
export function parseTarget(registry: Registry, path: string): Target {
  const segments = splitPath(path);
  const [root] = segments;
  if (root !== "api" && root !== "apis") return { is: "document" };
  const head = root === "api" ? 2 : 3;
  if (segments.length <= head) return { is: "document" };
  const group = root === "api" ? "" : (segments[1] as string);
  const version = segments[head - 1] as string;
  const isWatch = segments[head] === "watch";
  const rest = segments.slice(isWatch ? head + 1 : head);
  const find = (plural: string) => registry.find(group, version, plural);
  const target = namespacedTarget(rest, isWatch, find) ?? clusterTarget(rest, isWatch, find);
  if (target !== undefined) return target;
  // A group that no built-in kind is of may be anybody's, so nothing of ours answers there.
  if (!registry.all().some((one) => one.group === group && one.origin === "built-in")) return { is: "document" };
  throw unknownResource();
}

type Find = (plural: string) => Resource | undefined;

/** `namespaces/<ns>/<plural>[/<name>[/<subresource>]]` */
function namespacedTarget(rest: readonly string[], isWatch: boolean, find: Find): ResourceTarget | undefined {
  const [first, namespace, plural, name = "", subresource = "", ...more] = rest;
  if (first !== "namespaces" || namespace === undefined || plural === undefined) return undefined;
  const resource = find(plural);
  if (resource === undefined || !resource.namespaced) return undefined;
  if (more.length > 0) throw unknownResource();
  return { is: "resource", resource, namespace, name, subresource, isWatch };
}

/** `<plural>[/<name>[/<subresource>]]`, of cluster-scoped resources or of all namespaces. */
function clusterTarget(rest: readonly string[], isWatch: boolean, find: Find): ResourceTarget | undefined {
  const [plural = "", name = "", subresource = "", ...more] = rest;
  const resource = find(plural);
  if (resource === undefined || more.length > 0) return undefined;
  if (resource.namespaced && name !== "") return undefined;
  return { is: "resource", resource, namespace: "", name, subresource, isWatch };
}

export function splitPath(path: string): string[] {
  const end = path.indexOf("?");
  const segments = (end === -1 ? path : path.slice(0, end)).split("/").filter((segment) => segment !== "");
  try {
    return segments.map((segment) => (segment.includes("%") ? decodeURIComponent(segment) : segment));
  } catch {
    throw badRequest("the path is not valid percent-encoding");
  }
}

export function queryOf(path: string): URLSearchParams {
  const start = path.indexOf("?");
  return new URLSearchParams(start === -1 ? "" : path.slice(start + 1));
}

/** The verb a method means on a target; 405 when there is none. */
export function verbOf(method: ApiRequest["method"], target: ResourceTarget, query: URLSearchParams): Verb {
  const isNamed = target.name !== "" && !target.isWatch;
  const verb = isNamed ? objectVerb(method) : collectionVerb(method, target, query);
  if (verb === undefined) throw methodNotAllowed();
  const isAcrossNamespaces = target.resource.namespaced && target.namespace === "" && target.name === "";
  if (isAcrossNamespaces && (verb === "create" || verb === "deletecollection")) {
    throw target.resource.verbs.includes("list") ? methodNotAllowed() : unknownResource();
  }
  return verb;
}

function collectionVerb(
  method: ApiRequest["method"],
  target: ResourceTarget,
  query: URLSearchParams,
): Verb | undefined {
  if (target.isWatch && method !== "GET") return undefined;
  if (method === "GET") return target.isWatch || isTrue(query.get("watch")) ? "watch" : "list";
  if (method === "POST") return "create";
  return method === "DELETE" ? "deletecollection" : undefined;
}

function objectVerb(method: ApiRequest["method"]): Verb | undefined {
  switch (method) {
    case "GET":
      return "get";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return "delete";
    default:
      return undefined;
  }
}

/** Go's reading of a boolean query parameter: present without a value counts as true. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== "0" && value.toLowerCase() !== "false";
}
