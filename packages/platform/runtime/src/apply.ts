import { ApiError, controllerOf, isReason, type Kind, type KubeObject, type Ref } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { type Child, childId, childrenOf, describeChild, isOurs } from "./child.ts";
import { contains, digest, ownsOnly, touchable } from "./satisfied.ts";
import type { WriteContext } from "./write-context.ts";

/**
 * Makes the children what the decision says, one after the other in the order of the decision, and removes those it no longer
 * names. A child that cannot be written does not keep the others waiting.
 *
 * Changes are forced: fields in a decision are ours, and whoever else set them loses them. The first apply of a child is not,
 * so an object of that name that the cache has not seen yet is never taken over; and a change names the uid it is meant for.
 */
export async function applyChildren(context: WriteContext, desired: readonly Desired[]): Promise<void> {
  const children = childrenOf(context.object, desired);
  for (const child of children) {
    await applyChild(context, child).catch((error: unknown) => fail(context, child.kind, child.ref, error));
  }
  await prune(context, new Set(children.map(({ id }) => id)));
}

async function applyChild(context: WriteContext, child: Child): Promise<void> {
  const { caches, object: owner, reconciler } = context;
  const live = caches.of(child.kind).get(child.ref);
  if (live === undefined) return write(context, child, undefined, digest(child.object));
  const applied = caches.ledger.fieldsOf(live, reconciler.name);
  if (!isOurs(child, live, owner, applied !== undefined)) return reportTaken(context, child, live);
  // What is on its way out cannot be changed into something that stays; its end wakes the owner.
  if (live.metadata.deletionTimestamp !== undefined || child.desired.createOnly) return;
  const wish = digest(child.object);
  const sight = { version: live.metadata.resourceVersion, content: touchable(live) };
  if (context.memory.isDone(context.reader, child.id, wish, sight)) return;
  if (applied !== undefined && contains(live, child.object) && ownsOnly(applied, child.object)) {
    context.memory.note(context.reader, child.id, wish, sight);
    return;
  }
  await write(context, child, live, wish);
}

async function write(context: WriteContext, child: Child, live: KubeObject | undefined, wish: string): Promise<void> {
  const { client, memory, reader, reconciler, report } = context;
  const uid = live?.metadata.uid;
  const object = uid === undefined ? child.object : { ...child.object, metadata: { ...child.object.metadata, uid } };
  report.writes += 1;
  const written = await client.apply(child.kind, object, { fieldManager: reconciler.name, force: live !== undefined });
  const version = written.metadata.resourceVersion;
  if (version !== live?.metadata.resourceVersion) report.changes += 1;
  memory.note(reader, child.id, wish, { version, content: touchable(written) });
  report.settling.push(context.caches.of(child.kind).sightings.whenReached(version));
}

/** Somebody else's object has the name. It is left alone, and the person who can choose another name is told. */
function reportTaken(context: WriteContext, child: Child, live: KubeObject): void {
  const controller = controllerOf(live);
  const holder =
    controller === undefined ? "was made by somebody else" : `belongs to ${controller.kind} ${controller.name}`;
  context.memory.drop(context.reader, child.id);
  context.report.notes.push({
    type: "Warning",
    reason: "NameTaken",
    action: "Apply",
    message: `${describeChild(child.kind, child.ref)} ${holder} and is left as it is; delete or rename it`,
  });
}

/** Removes what this reconciler made for the object and the decision no longer names. What others made for it is theirs to remove. */
async function prune(context: WriteContext, wanted: ReadonlySet<string>): Promise<void> {
  const { caches, object, reconciler } = context;
  const owner = object.metadata.uid;
  if (owner === undefined) return;
  for (const kind of reconciler.writes) {
    for (const live of caches.of(kind).list({ owner })) {
      const { name = "", namespace, deletionTimestamp } = live.metadata;
      const ref = kind.namespaced ? { namespace, name } : { name };
      const isExtra = !wanted.has(childId(kind, ref)) && caches.ledger.fieldsOf(live, reconciler.name) !== undefined;
      if (!isExtra || deletionTimestamp !== undefined) continue;
      await remove(context, kind, live).catch((error: unknown) => fail(context, kind, ref, error));
    }
  }
}

async function remove(context: WriteContext, kind: Kind, live: KubeObject): Promise<void> {
  const { name = "", namespace, uid } = live.metadata;
  const ref = kind.namespaced ? { namespace, name } : { name };
  context.report.writes += 1;
  context.memory.drop(context.reader, childId(kind, ref));
  try {
    const preconditions = uid === undefined ? {} : { uid };
    await context.client.delete(kind, ref, { propagationPolicy: "Background", preconditions });
  } catch (error) {
    // A conflict is no proof of the end: whether another object of that name is there now, the next pass sees.
    if (!isReason(error, "NotFound")) throw error;
  }
  context.report.changes += 1;
  context.report.settling.push(context.caches.of(kind).whenLeaving(ref, uid));
}

/** A failure is tried again; one that the server explains and only a person can end (a quota, a policy) is told as well. */
function fail(context: WriteContext, kind: Kind, ref: Ref, error: unknown): void {
  const cause = kind.kind === "Secret" ? withoutQuotes(error) : error;
  const message = `${describeChild(kind, ref)}: ${cause instanceof Error ? cause.message : String(cause)}`;
  context.report.failures.push(new Error(message, { cause }));
  if (!isReason(cause, "Invalid", "Forbidden", "BadRequest")) return;
  context.report.notes.push({ type: "Warning", reason: "ApplyFailed", action: "Apply", message });
}

/** A server quotes what it refuses, so of a Secret only the kind of refusal may be told. */
function withoutQuotes(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const { details: _, ...status } = error.status;
  return new ApiError({ ...status, message: `the server answered ${error.reason ?? error.code}` });
}
