import { keysOf } from "../../json-path/scale-path.ts";
import type { ManagedFields } from "../../object.ts";
import { difference, type FieldSet, hasPath, isEmptySet, setOfPath } from "./field-set.ts";
import { formatManagers, identityOf, type Managers, parseManagers } from "./managed-fields.ts";

const scaleVersion = "autoscaling/v1";
const replicasInScale: FieldSet = { "f:spec": { "f:replicas": {} } };

/** The object that is scaled: its version and where its replicas are (`.spec.replicas`). */
export interface ScaleParent {
  readonly apiVersion: string;
  readonly replicasPath: string;
}

const pathOf = ({ replicasPath }: ScaleParent) => keysOf(replicasPath).map((key) => `f:${key}`);

/** `managedFields` of the Scale of an object: who owns its replicas, as seen through the Scale. */
export function managedFieldsOfScale(entries: readonly ManagedFields[], parent: ScaleParent): ManagedFields[] {
  const path = pathOf(parent);
  const seen: Managers = new Map();
  for (const [identity, manager] of parseManagers(entries) ?? []) {
    if (manager.entry.apiVersion !== parent.apiVersion || !hasPath(manager.fields, path)) continue;
    seen.set(identity, { entry: { ...manager.entry, apiVersion: scaleVersion }, fields: replicasInScale });
  }
  return formatManagers(seen);
}

/**
 * `managedFields` of an object after its Scale was written: managers that lost the replicas there lose them here, new ones
 * come in. A real server keeps no time for those, and so it is here.
 */
export function mergeScaleManagedFields(
  entries: readonly ManagedFields[],
  scaleEntries: readonly ManagedFields[],
  parent: ScaleParent,
): ManagedFields[] {
  const path = pathOf(parent);
  const replicas = setOfPath(path);
  const inScale = new Map([...(parseManagers(scaleEntries) ?? [])].map(([, one]) => [scaleIdentity(one.entry), one]));
  const merged: Managers = new Map();
  for (const [identity, manager] of parseManagers(entries) ?? []) {
    const isStillOwner = inScale.delete(scaleIdentity(manager.entry));
    const isStolen = hasPath(manager.fields, path) && !isStillOwner;
    const fields = isStolen ? difference(manager.fields, replicas) : manager.fields;
    if (!isEmptySet(fields)) merged.set(identity, { ...manager, fields });
  }
  for (const [identity, { entry, fields }] of inScale) {
    if (!hasPath(fields, ["f:spec", "f:replicas"])) continue;
    const { time: _, fieldsV1: __, ...rest } = entry;
    merged.set(identity, { entry: { ...rest, apiVersion: parent.apiVersion }, fields: replicas });
  }
  return formatManagers(merged);
}

/** Managers are the same in both accounts but for the version. */
const scaleIdentity = (entry: ManagedFields) => identityOf({ ...entry, apiVersion: scaleVersion });
