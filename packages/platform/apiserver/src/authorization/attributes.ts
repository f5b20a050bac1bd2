import type { ApiRequest } from "@trivium/kube";
import { isTrue, queryOf, splitPath } from "../request.ts";

/** What a caller asks for, in the terms of RBAC rules. */
export type Attributes = ResourceAttributes | PathAttributes;

export interface ResourceAttributes {
  readonly is: "resource";
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** "" for the resource itself. */
  readonly subresource: string;
  /** "" for cluster-scoped resources and for all namespaces. */
  readonly namespace: string;
  /** "" where no single object is meant. */
  readonly name: string;
}

export interface PathAttributes {
  readonly is: "path";
  readonly verb: string;
  readonly path: string;
}

const methodVerbs: Readonly<Record<string, string>> = {
  POST: "create",
  GET: "get",
  HEAD: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** Parts of a namespace's own path that are not resources inside it. */
const namespaceSubresources: ReadonlySet<string> = new Set(["status", "finalize"]);

/**
 * Reads the attributes from method and path alone, before anything is looked up: a refusal must not depend on which resources
 * or objects exist.
 */
export function attributesOf({ method, path }: Pick<ApiRequest, "method" | "path">): Attributes {
  const [bare = "/"] = path.split("?", 1);
  const [root, ...rest] = splitPath(path);
  const asPath: PathAttributes = { is: "path", verb: method.toLowerCase(), path: bare };
  if ((root !== "api" && root !== "apis") || rest.length < (root === "api" ? 2 : 3)) return asPath;
  const group = root === "api" ? "" : (rest.shift() as string);
  rest.shift();
  const isWatch = rest[0] === "watch" && rest.length > 1;
  if (isWatch) rest.shift();
  const namespace = rest[0] === "namespaces" ? (rest[1] ?? "") : "";
  const isInside = namespace !== "" && rest.length > 2 && !namespaceSubresources.has(rest[2] as string);
  const [resource = "", name = "", subresource = ""] = isInside ? rest.slice(2) : rest;
  const verb = isWatch ? "watch" : (methodVerbs[method] ?? "");
  const found = { is: "resource", verb, group, resource, subresource, namespace, name } as const;
  return name === "" ? ofCollection(found, queryOf(path)) : found;
}

/** A list or watch of one name counts as a request for that object. */
function ofCollection(found: ResourceAttributes, query: URLSearchParams): ResourceAttributes {
  if (found.verb === "delete") return { ...found, verb: "deletecollection" };
  if (found.verb !== "get") return found;
  const [, name = ""] = /(?:^|,)metadata\.name==?([^,!=]+)(?:,|$)/.exec(query.get("fieldSelector") ?? "") ?? [];
  return { ...found, verb: isTrue(query.get("watch")) ? "watch" : "list", name };
}
