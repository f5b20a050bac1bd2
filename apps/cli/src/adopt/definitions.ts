import type { ServingDialect } from "@trivium/domain";
import { CustomResourceDefinition, emitCrd, groupResourceOf, isReason, type KubeClient } from "@trivium/kube";
import { isObject, type JsonObject } from "@trivium/std";
import type { AdoptionRow } from "./rows.ts";

/**
 * Definitions that the upstream operator has installed and that lack fields of a status that Trivium writes: an API server refuses to apply
 * a field that is not in the schema, so no status of these kinds would be written.
 */
export async function findOlderDefinitions(
  client: Pick<KubeClient, "get">,
  dialects: readonly ServingDialect[],
): Promise<AdoptionRow[]> {
  const rows = await Promise.all(
    dialects.flatMap(({ name: dialect, kinds }) =>
      kinds.map(async (kind) => {
        const name = groupResourceOf(kind);
        const live = await client.get(CustomResourceDefinition, { name }).catch(missing);
        const fields = live === undefined ? [] : missingFields(statusIn(live), statusIn(emitCrd(kind)), "status");
        const why = `lacks fields that Trivium writes; run: trivium crds --dialects ${dialect} | kubectl apply --server-side --force-conflicts -f -`;
        const row = { kind: "CustomResourceDefinition", name, manager: "", outcome: "left", why, fields } as const;
        return fields.length === 0 ? [] : [row];
      }),
    ),
  );
  return rows.flat();
}

/** A person who cannot read definitions reads the rest of the plan. */
function missing(error: unknown): undefined {
  if (!isReason(error, "NotFound", "Forbidden")) throw error;
}

function statusIn({ spec }: CustomResourceDefinition): JsonObject {
  const [version] = spec.versions.filter(({ storage }) => storage);
  const { properties } = (version?.schema?.openAPIV3Schema ?? {}) as { properties?: { status?: JsonObject } };
  return properties?.status ?? {};
}

/** Paths of fields that the second schema has and the first does not; the topmost of each branch. */
export function missingFields(theirs: JsonObject, ours: JsonObject, path: string): string[] {
  if (theirs["x-kubernetes-preserve-unknown-fields"] === true) return [];
  const [known, wanted] = [partOf(theirs.properties), partOf(ours.properties)];
  const inner = Object.entries(wanted).flatMap(([name, schema]) => {
    const at = `${path}.${name}`;
    const found = known[name];
    return found === undefined ? [at] : missingFields(partOf(found), partOf(schema), at);
  });
  if (!isObject(ours.items)) return inner;
  return [...inner, ...missingFields(partOf(theirs.items), partOf(ours.items), `${path}[]`)];
}

const partOf = (part: unknown): JsonObject => (isObject(part) ? (part as JsonObject) : {});
