import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type CustomResourceDefinition, definitions, groupResourceOf, type Kind } from "@trivium/kube";
import { isObject, type Json, type JsonObject } from "@trivium/std";
import { emitThirdPartyApis } from "../../../scripts/generate-kube/emit-third-party.ts";
import type { CrdDocument, Definitions } from "../../../scripts/generate-kube/facts.ts";

/** A neighbour as `@trivium/kube` carries it: its `Kind`, and the paths of the fields of its type, `spec.hosts`. */
export interface CarriedKind {
  readonly kind: Kind;
  readonly fields: ReadonlySet<string>;
}

const generated = join(import.meta.dirname, "../../../packages/base/kube/src/generated/third-party.ts");

/** What the checked-in file says, by the name of the CRD. */
export function carriedKinds(): Map<string, CarriedKind> {
  return kindsIn(readFileSync(generated, "utf8"));
}

/** What the file would say had it been generated from this CRD; of all its versions only the one that we carry. */
export function kindOfDefinition(crd: CustomResourceDefinition, version: string): CarriedKind | undefined {
  const versions = crd.spec.versions.filter((each) => each.name === version && each.served);
  if (versions.length === 0) return undefined;
  const only = { ...crd, spec: { ...crd.spec, versions: versions.map((each) => ({ ...each, storage: true })) } };
  const text = emitThirdPartyApis([only as unknown as CrdDocument], definitions as unknown as Definitions);
  return kindsIn(text).get(crd.metadata.name ?? "");
}

function kindsIn(text: string): Map<string, CarriedKind> {
  const blocks = text.matchAll(
    /^export interface \w+ extends KubeObject \{\n(.*?)^export const \w+: [^\n]*? = (\{[^\n]*\});$/gms,
  );
  return new Map(
    Array.from(blocks, ([, body = "", json = ""]) => {
      const kind = JSON.parse(json) as Kind;
      return [groupResourceOf(kind), { kind, fields: fieldsIn(body) }] as const;
    }),
  );
}

/** The printer of the types writes one field a line and indents by depth, so that a path is the names above. */
function fieldsIn(body: string): Set<string> {
  const fields = new Set<string>();
  const above: string[] = [];
  for (const line of body.split("\n")) {
    const [, indent = "", name] = /^( *)"?([^"\s?:]+)"?\??: /.exec(line) ?? [];
    if (name === undefined) continue;
    above.splice(indent.length / 2 - 1);
    above.push(name);
    fields.add(above.join("."));
  }
  return fields;
}

/** Everything a schema says except prose. A property that is named `description` is no prose. */
export function withoutProse(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutProse);
  if (!isObject(schema)) return schema;
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if ((key === "description" && typeof value === "string") || key === "externalDocs") continue;
    kept[key] = key === "properties" && isObject(value) ? eachValue(value) : withoutProse(value);
  }
  return kept;
}

const eachValue = (properties: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, withoutProse(schema)]));
