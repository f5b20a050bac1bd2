import type { Json, JsonObject } from "@trivium/std";
import { describeDefinition } from "./describe.ts";

/** OpenAPI v3 schemas by definition name, with `$ref`s of the form `#/components/schemas/<name>`. */
export type Definitions = Readonly<Record<string, JsonObject>>;

export const refPrefix = "#/components/schemas/";
export const refTo = (name: string): JsonObject => ({ $ref: `${refPrefix}${name}` });

const metaV1 = "io.k8s.apimachinery.pkg.apis.meta.v1";
export const metaNames = {
  objectMeta: `${metaV1}.ObjectMeta`,
  listMeta: `${metaV1}.ListMeta`,
  deleteOptions: `${metaV1}.DeleteOptions`,
  patch: `${metaV1}.Patch`,
  status: `${metaV1}.Status`,
} as const;
/** The first fields of every object. */
export const head = {
  apiVersion: { description: "Group and version of the schema this object follows", type: "string" },
  kind: { description: "Name of the kind this object is of", type: "string" },
  metadata: { description: "Standard object metadata", allOf: [refTo(metaNames.objectMeta)] },
};

export function kindExtension({ group, version }: { group: string; version: string }, kind: string): JsonObject {
  return { "x-kubernetes-group-version-kind": [{ group, kind, version }] };
}

/** Definitions that no built-in kind refers to but operations do. */
export const ownDefinitions: Definitions = {
  [metaNames.patch]: { description: "A change to an object, in one of the patch formats", type: "object" },
};
export const scaleName = "io.k8s.api.autoscaling.v1.Scale";

/** The name of the definition of a CRD's kind: `ai.silogen.aim.v1alpha1.AIMService`. */
export function customName(of: { group: string; version: string }, kind: string): string {
  return [...of.group.split(".").reverse(), of.version, kind].join(".");
}

/** Definition names by `group/version/kind`, read from what each definition says it is. */
export function indexKinds(definitions: Definitions): ReadonlyMap<string, string> {
  const index = new Map<string, string>();
  for (const [name, definition] of Object.entries(definitions)) {
    const kinds = definition["x-kubernetes-group-version-kind"];
    if (!Array.isArray(kinds)) continue;
    for (const kind of kinds as { group: string; version: string; kind: string }[]) {
      const key = `${kind.group}/${kind.version}/${kind.kind}`;
      if (!index.has(key)) index.set(key, name);
    }
  }
  return index;
}

/** The named definitions and all they refer to, by name in order. Names that nothing defines are left out. */
export function withReferences(names: Iterable<string>, definitions: Definitions): JsonObject {
  const found = new Map<string, JsonObject>();
  const pending = [...names];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const definition = definitions[name];
    if (definition === undefined || found.has(name)) continue;
    found.set(name, describeDefinition(name, definition));
    collectReferences(definition, pending);
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function collectReferences(value: Json, into: string[]): void {
  if (value === null || typeof value !== "object") return;
  if (Array.isArray(value)) {
    for (const item of value) collectReferences(item, into);
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    if (key === "$ref" && typeof item === "string") into.push(item.slice(refPrefix.length));
    else collectReferences(item, into);
  }
}
