import type { Json, JsonObject } from "@trivium/std";
import { kubernetesVersion } from "../discovery/version.ts";
import { refPrefix } from "./definitions.ts";

/** Keywords that OpenAPI v2 does not have. */
const unknownToV2 = new Set(["oneOf", "anyOf", "not", "nullable"]);

/**
 * The OpenAPI v2 form of schemas, which `kubectl apply` and `kubectl explain --output=plaintext-openapiv2` read. It has
 * no operations: kubectl 1.27 and newer ask version 3 for those.
 */
export function swaggerDocument(schemas: JsonObject): string {
  const { major, minor } = kubernetesVersion;
  return JSON.stringify({
    swagger: "2.0",
    info: { title: "Kubernetes", version: `${major}.${minor}` },
    paths: {},
    definitions: loweredMap(schemas),
  });
}

function lowered(value: Json): Json {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(lowered);
  const only = Array.isArray(value.allOf) && value.allOf.length === 1 ? (value.allOf[0] as JsonObject) : undefined;
  const flat = only?.$ref === undefined ? value : { ...value, allOf: undefined, ...only };
  const out: JsonObject = {};
  for (const [key, item] of Object.entries(flat)) {
    if (item === undefined || unknownToV2.has(key)) continue;
    if (key === "$ref") out[key] = `#/definitions/${String(item).slice(refPrefix.length)}`;
    else out[key] = key === "properties" ? loweredMap(item as JsonObject) : lowered(item);
  }
  return out;
}

/** Names of properties are no keywords: there are fields called `not` and `nullable`. */
function loweredMap(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, lowered(schema)]));
}
