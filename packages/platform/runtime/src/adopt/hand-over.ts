import type { Kind, KubeObject, ManagedFields, Ref } from "@trivium/kube";
import { isObject, type Json, type JsonObject } from "@trivium/std";
import type { Child } from "../apply/child.ts";
import { hasMade } from "../apply/field-record.ts";
import type { WriteContext } from "../apply/write-context.ts";

/**
 * Makes the fields of another operator ours, before we apply for the first time. Applying alone would not do: what only the other one has
 * set would stay for ever, a volume would have two sources and a container the command of one and the image of the other.
 *
 * The annotations of the child go with it, so that a process that ends here leaves a record of what it found.
 */
export async function handOverChild(context: WriteContext, { kind, ref, object }: Child): Promise<void> {
  const { annotations = {} } = object.metadata;
  await rewrite(context, { kind, ref, annotations }, (managed) => {
    const { name, upstream } = context.reconciler;
    const makers = new Set(managed.filter(hasMade).map((entry) => entry.manager));
    for (const manager of upstream?.managers ?? []) makers.add(manager);
    makers.delete(name);
    const isTheirs = (entry: ManagedFields): boolean => entry.subresource === undefined && makers.has(entry.manager);
    return handedOver(managed, isTheirs, { manager: name, wanted: object });
  });
}

/**
 * The same for the status: a condition that we never write must not stay as the other operator has left it. It is a write of the whole
 * object: API servers ignore `managedFields` in a write of the status.
 */
export async function handOverStatus(context: WriteContext): Promise<void> {
  const { object, reconciler } = context;
  const { name = "", namespace } = object.metadata;
  const ref: Ref = reconciler.kind.namespaced ? { namespace, name } : { name };
  await rewrite(context, { kind: reconciler.kind, ref }, (managed) =>
    handedOver(managed, ({ manager, subresource }) => subresource === "status" && manager !== reconciler.name, {
      manager: reconciler.name,
      subresource: "status",
    }),
  );
}

interface Target {
  readonly kind: Kind;
  readonly ref: Ref;
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * The caches drop `managedFields`, so they are read once more, by a list as every read is; whatever is written in between is a conflict,
 * and the next pass retries.
 */
async function rewrite(
  { client, reconciler, report }: WriteContext,
  { kind, ref, annotations }: Target,
  change: (managed: readonly ManagedFields[]) => readonly ManagedFields[],
): Promise<void> {
  const found = await client.list(kind, { namespace: ref.namespace, fieldSelector: `metadata.name=${ref.name}` });
  const [live] = found.items;
  if (live === undefined) return;
  const { managedFields = [], resourceVersion = "", uid = "" } = live.metadata;
  const changed = { managedFields: change(managedFields), ...(annotations === undefined ? {} : { annotations }) };
  const body = { metadata: { resourceVersion, uid, ...changed } };
  report.writes += 1;
  const options = { fieldManager: reconciler.name };
  await client.patch(kind, ref, { type: "merge", body: body as unknown as JsonObject }, options);
}

interface Heir {
  readonly manager: string;
  readonly wanted?: KubeObject;
  readonly subresource?: "status";
}

/** Their entries become one entry of ours, as if we had applied their fields. Others (people, Kubernetes' controllers) keep theirs. */
function handedOver(
  managed: readonly ManagedFields[],
  isTheirs: (entry: ManagedFields) => boolean,
  { manager, wanted, subresource }: Heir,
): readonly ManagedFields[] {
  if (!managed.some(isTheirs)) return managed;
  // What we have applied before is one entry with it.
  const isHanded = (entry: ManagedFields): boolean =>
    isTheirs(entry) || (entry.manager === manager && entry.operation === "Apply" && entry.subresource === subresource);
  const theirs = managed.filter(isHanded);
  const first = theirs[0] as ManagedFields;
  const fields = theirs.reduce<JsonObject>((all, { fieldsV1 = {} }) => union(all, fieldsV1), {});
  const { time: _, ...entry } = first;
  const fieldsV1 = wanted === undefined ? fields : withoutShared(fields, wanted);
  return [...managed.filter((other) => !isHanded(other)), { ...entry, manager, operation: "Apply", fieldsV1 }];
}

/**
 * Replicas that we do not set must not fall back to their default: an autoscaler has them. Finalizers are taken off by those who have set
 * them, and by nobody else.
 */
function withoutShared(fields: JsonObject, wanted: KubeObject): JsonObject {
  const { spec } = wanted as { spec?: { replicas?: number } };
  const rest = without(fields, "f:metadata", "f:finalizers");
  return spec?.replicas === undefined ? without(rest, "f:spec", "f:replicas") : rest;
}

function without(fields: JsonObject, part: string, field: string): JsonObject {
  const owned = fields[part];
  if (!isObject(owned)) return fields;
  const { [field]: _, ...rest } = owned as JsonObject;
  return { ...fields, [part]: rest };
}

function union(one: JsonObject, other: JsonObject): JsonObject {
  const result: Record<string, Json> = { ...one };
  for (const [step, inner] of Object.entries(other)) {
    const known = result[step];
    const both = isObject(known) && isObject(inner);
    result[step] = both ? union(known as JsonObject, inner as JsonObject) : (inner as Json);
  }
  return result;
}
