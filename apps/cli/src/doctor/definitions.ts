import type { ServingDialect } from "@trivium/domain";
import { CustomResourceDefinition, type DefinedKind, groupResourceOf, isReason, type KubeClient } from "@trivium/kube";
import { defaultDialectNames } from "@trivium/local";
import type { Schema } from "@trivium/schema";
import { type Finding, ok, problem, warning } from "./finding.ts";

const install = "install them with: trivium crds | kubectl apply --server-side --force-conflicts -f -";

/** Whether the definitions of the dialects are installed, and have the fields of this version. */
export async function checkDefinitions(
  client: KubeClient,
  dialects: readonly ServingDialect[],
): Promise<readonly Finding[]> {
  return Promise.all(dialects.map((dialect) => checkDialect(client, dialect)));
}

async function checkDialect(client: KubeClient, { name, kinds }: ServingDialect): Promise<Finding> {
  const check = `definitions of ${name}`;
  const served = new Set((await client.discover()).map(groupResourceOf));
  const missing = kinds.filter((kind) => !served.has(groupResourceOf(kind)));
  if (missing.length === kinds.length)
    return defaultDialectNames.includes(name)
      ? warning(check, "not installed", install)
      : ok(check, "not installed; served only where --dialects names it");
  if (missing.length > 0) return problem(check, `missing: ${missing.map(({ kind }) => kind).join(", ")}`, install);
  const drifts = await Promise.all(kinds.map((kind) => driftOf(client, kind)));
  const drifted = drifts.filter((drift) => drift !== undefined);
  if (drifted.length === 0) return ok(check, `${kinds.length} kinds, current`);
  return problem(check, drifted.join("; "), install);
}

/** What the definition of a cluster lacks or has besides; nothing where it is ours, or the caller cannot read it. */
async function driftOf(client: KubeClient, kind: DefinedKind): Promise<string | undefined> {
  const name = groupResourceOf(kind);
  const crd = await client.get(CustomResourceDefinition, { name }).catch((error: unknown) => {
    if (isReason(error, "Forbidden")) return undefined;
    throw error;
  });
  const version = crd?.spec.versions.find((one) => one.name === kind.version);
  if (crd === undefined) return undefined;
  if (version === undefined) return `${kind.kind} has no version ${kind.version}`;
  const [ours, theirs] = [fieldsOf(kind.schema), fieldsOf((version.schema?.openAPIV3Schema ?? {}) as Schema)];
  const lacks = [...ours].find((path) => !theirs.has(path));
  const adds = [...theirs].find((path) => !ours.has(path));
  if (lacks !== undefined) return `${kind.kind} of the cluster lacks ${lacks}`;
  return adds === undefined ? undefined : `${kind.kind} of the cluster has ${adds}, which this version does not know`;
}

/** Every path of a schema. */
function fieldsOf(schema: Schema, path = ""): Set<string> {
  const found = new Set<string>(path === "" ? [] : [path]);
  const add = (inner: unknown, at: string): void => {
    if (typeof inner === "object" && inner !== null) for (const one of fieldsOf(inner as Schema, at)) found.add(one);
  };
  for (const [name, inner] of Object.entries(schema.properties ?? {}))
    add(inner, path === "" ? name : `${path}.${name}`);
  add(schema.items, `${path}[]`);
  add(schema.additionalProperties, `${path}[*]`);
  return found;
}
