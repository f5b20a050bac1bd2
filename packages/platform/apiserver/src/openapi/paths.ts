import type { JsonObject } from "@trivium/std";
import { type ServedSubresource, subresourcesOf } from "../discovery/subresources.ts";
import type { Resource } from "../resource.ts";
import { metaNames, refTo } from "./definitions.ts";
import * as parameters from "./parameters.ts";

/** The definitions that the operations of one resource speak of. */
export interface ResourceNames {
  readonly object: string;
  readonly list: string;
  /** The definition of a subresource's kind, where there is one. */
  subresource(subresource: ServedSubresource): string | undefined;
}

/** Every path of a resource with its operations, as `paths` of the OpenAPI document of its group version. */
export function pathsOf(resource: Resource, names: ResourceNames): Record<string, JsonObject> {
  const root = resource.group === "" ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const scope = resource.namespaced ? `${root}/namespaces/{namespace}` : root;
  const collection = `${scope}/${resource.plural}`;
  const operations = operationsOf(resource, names);
  const inNamespace = resource.namespaced ? [parameters.namespacePath] : [];
  const named = [parameters.namePath(resource.kind), ...inNamespace, parameters.pretty];
  const paths: Record<string, JsonObject> = {
    [collection]: {
      ...pick(resource.verbs, { list: ["get", operations.list], create: ["post", operations.create] }),
      ...pick(resource.verbs, { deletecollection: ["delete", operations.deletecollection] }),
      parameters: [...inNamespace, parameters.pretty],
    },
  };
  const one = pick(resource.verbs, {
    get: ["get", operations.get],
    update: ["put", operations.update],
    delete: ["delete", operations.delete],
    patch: ["patch", operations.patch],
  });
  if (Object.keys(one).length > 0) paths[`${collection}/{name}`] = { ...one, parameters: named };
  for (const subresource of subresourcesOf(resource)) {
    paths[`${collection}/{name}/${subresource.name}`] = {
      ...subresourceOperations(resource, subresource, names),
      parameters: named,
    };
  }
  if (resource.namespaced && resource.verbs.includes("list")) {
    paths[`${root}/${resource.plural}`] = {
      get: operations.listEverywhere,
      parameters: [...parameters.listParameters, parameters.pretty],
    };
  }
  return paths;
}

/** The operations whose verb is served, under their HTTP method. */
function pick(
  verbs: readonly string[],
  operations: Record<string, [method: string, operation: JsonObject]>,
): JsonObject {
  return Object.fromEntries(
    Object.entries(operations)
      .filter(([verb]) => verbs.includes(verb))
      .map(([, entry]) => entry),
  );
}

type OperationName = "list" | "listEverywhere" | "create" | "deletecollection" | "get" | "update" | "delete" | "patch";

function operationsOf(resource: Resource, names: ResourceNames): Record<OperationName, JsonObject> {
  const describe = describer(resource, "");
  const { kind } = resource;
  const { object, list } = names;
  return {
    list: describe("list", `list objects of kind ${kind}`, {
      parameters: parameters.listParameters,
      answers: { 200: list },
    }),
    listEverywhere: describe("list", `list objects of kind ${kind}`, { everywhere: true, answers: { 200: list } }),
    create: describe("post", `create a ${kind}`, {
      parameters: parameters.writeParameters,
      body: object,
      answers: { 200: object, 201: object, 202: object },
    }),
    deletecollection: describe("deletecollection", `delete collection of ${kind}`, {
      parameters: [...parameters.deleteParameters, ...parameters.listParameters],
      answers: { 200: metaNames.status },
    }),
    get: describe("get", `read the specified ${kind}`, {
      parameters: parameters.readParameters,
      answers: { 200: object },
    }),
    update: describe("put", `replace the specified ${kind}`, {
      parameters: parameters.writeParameters,
      body: object,
      answers: { 200: object, 201: object },
    }),
    delete: describe("delete", `delete a ${kind}`, {
      parameters: parameters.deleteParameters,
      body: metaNames.deleteOptions,
      answers: { 200: metaNames.status, 202: metaNames.status },
    }),
    patch: describe("patch", `partially update the specified ${kind}`, {
      parameters: parameters.patchParameters,
      answers: { 200: object, 201: object },
    }),
  };
}

function subresourceOperations(resource: Resource, subresource: ServedSubresource, names: ResourceNames): JsonObject {
  const describe = describer(resource, capitalize(subresource.name));
  const of = `${subresource.name} of the specified ${resource.kind}`;
  const name = names.subresource(subresource);
  const body = name === undefined ? {} : { body: name };
  const answers = { 200: name };
  return pick(subresource.verbs, {
    create: ["post", describe("post", `create ${of}`, { parameters: parameters.writeParameters, ...body, answers })],
    get: ["get", describe("get", `read ${of}`, { parameters: parameters.readParameters, answers })],
    update: ["put", describe("put", `replace ${of}`, { parameters: parameters.writeParameters, ...body, answers })],
    patch: ["patch", describe("patch", `partially update ${of}`, { parameters: parameters.patchParameters, answers })],
  });
}

interface Operation {
  readonly parameters?: readonly JsonObject[];
  readonly body?: string;
  readonly answers: Readonly<Record<number, string | undefined>>;
  readonly everywhere?: boolean;
}

type Action = "list" | "post" | "deletecollection" | "get" | "put" | "delete" | "patch";

const verbOfAction: Record<Action, string> = {
  list: "list",
  post: "create",
  deletecollection: "delete",
  get: "read",
  put: "replace",
  delete: "delete",
  patch: "patch",
};
const wordOfCode: Record<number, string> = { 200: "OK", 201: "Created", 202: "Accepted" };

function describer(resource: Resource, suffix: string) {
  const { group, version, kind } = resource;
  const shortGroup = (group === "" ? "core" : group.replace(/\.k8s\.io$/, "")).split(/[.-]/);
  const groupWord = shortGroup.map(capitalize).join("");
  const tag = `${shortGroup.map((part, at) => (at === 0 ? part : capitalize(part))).join("")}_${version}`;
  return (action: Action, description: string, operation: Operation): JsonObject => ({
    tags: [tag],
    description,
    operationId: [
      verbOfAction[action],
      groupWord,
      capitalize(version),
      action === "deletecollection" ? "Collection" : "",
      resource.namespaced && operation.everywhere !== true ? "Namespaced" : "",
      kind,
      operation.everywhere === true ? "ForAllNamespaces" : "",
      suffix,
    ].join(""),
    ...(operation.parameters === undefined ? {} : { parameters: [...operation.parameters] }),
    ...requestBody(resource, action, operation.body),
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.answers).map(([code, name]) => [code, answer(Number(code), name)]),
      ),
      401: { description: "Unauthorized" },
    },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { group, version, kind },
  });
}

/** kubectl reads from the media types of a patch whether it may send a strategic one: CRDs do not take those. */
function requestBody(resource: Resource, action: Action, body: string | undefined): JsonObject {
  if (action === "patch") {
    const media = ["application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"];
    if (resource.origin === "built-in") media.push("application/strategic-merge-patch+json");
    return { requestBody: { content: contentOf(media, metaNames.patch), required: true } };
  }
  if (body === undefined) return {};
  const media = resource.origin === "built-in" ? ["*/*"] : ["application/json", "application/yaml"];
  return { requestBody: { content: contentOf(media, body), ...(action === "delete" ? {} : { required: true }) } };
}

function answer(code: number, name: string | undefined): JsonObject {
  const description = wordOfCode[code] ?? "";
  if (name === undefined) return { description };
  return { description, content: contentOf(["application/json", "application/yaml"], name) };
}

function contentOf(media: readonly string[], name: string): JsonObject {
  const schema = refTo(name);
  return Object.fromEntries(media.map((type) => [type, { schema }]));
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
