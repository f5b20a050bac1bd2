import { controllerOf, isReason, type Kind, type KubeObject, ownerReferenceTo } from "@trivium/kube";
import type { Desired, Patch } from "@trivium/reconcile";
import { handOverChild } from "../adopt/hand-over.ts";
import { isLeftAfterMove, isLeftUntilChanged } from "../adopt/kept-whole.ts";
import { isDeletedWhenUnwanted, isUsedAsItIs } from "../adopt/policy.ts";
import { type Child, childId, childrenOf, describeChild, isOurs } from "./child.ts";
import { formerManagersOf, releaseFormer } from "./former-names.ts";
import { withKeptTargets } from "./kept-target.ts";
import { applyPatch, changeOwners, isLetGo } from "./patch.ts";
import { breachOf, hasLevel, isHeld } from "./pod-security.ts";
import { fail, failChild, refuseContested, refuseInsecure, refuseTaken } from "./refusal.ts";
import { contains, digest, ownsOnly, touchable } from "./satisfied.ts";
import type { WriteContext } from "./write-context.ts";

/**
 * Makes the children what the decision says, one after the other in the order of the decision, and removes those it no longer
 * names. A child that cannot be written does not keep the others waiting.
 *
 * Changes are forced: fields in a decision are ours, and whoever else set them loses them. The first apply of a child is not,
 * so an object of that name that the cache has not seen yet is never taken over; and a change names the uid it is meant for.
 */
export async function applyChildren(
  context: WriteContext,
  desired: readonly Desired[],
  patches: readonly Patch[] = [],
): Promise<void> {
  const children = childrenOf(context.object, desired);
  const rendered = withKeptTargets(context, children);
  for (const child of rendered) {
    const work = child.desired.keep ? keepChild(context, child) : applyChild(context, child);
    await work.catch((error: unknown) => failChild(context, child, error));
  }
  for (const patch of patches) await applyPatch(context, patch);
  const spared = new Set(children.map(({ id }) => id));
  // What is let go may still be seen as ours: the cache learns of it later.
  for (const patch of patches) if (isLetGo(patch, context.object)) spared.add(childId(patch.kind, patch.ref));
  await prune(context, spared);
}

/**
 * Takes in what nobody controls, if the decision was about this very object; everything else stays as it is. A name alone is no
 * claim: an object that somebody else created under it would be taken over.
 */
async function keepChild(context: WriteContext, child: Child): Promise<void> {
  const live = context.caches.of(child.kind).get(child.ref);
  if (live === undefined || live.metadata.deletionTimestamp !== undefined) return;
  if (child.desired.outlivesOwner || controllerOf(live) !== undefined) return;
  if (child.object.metadata.uid !== live.metadata.uid) return;
  try {
    await changeOwners(context, child, { add: [ownerReferenceTo(context.object)] });
  } catch (error) {
    if (!isReason(error, "Invalid")) throw error;
    // A second controller is refused: somebody else was faster, which the cache has not seen yet. Nobody has to be told.
    const what = describeChild(child.kind, child.ref);
    context.report.failures.push(new Error(`${what} was adopted by another controller`, { cause: error }));
  }
}

async function applyChild(context: WriteContext, child: Child): Promise<void> {
  const { caches, object: owner, reconciler } = context;
  const live = caches.of(child.kind).get(child.ref);
  if (live === undefined) return write(context, child, undefined, digest(child.object));
  const applied = caches.fieldRecord.fieldsOf(live, reconciler.name);
  const former = formerManagersOf(context, live);
  if (!isOurs(child, live, owner, applied !== undefined || former.length > 0)) return reportTaken(context, child, live);
  // What is on its way out cannot be changed into something that stays; its end wakes the owner.
  if (live.metadata.deletionTimestamp !== undefined || child.desired.createOnly) return;
  const isForeign = isMadeByOther(context, live);
  if (isForeign && (isUsedAsItIs(child.kind) || isLeftUntilChanged(context, child.kind, live))) return;
  if (isForeign && isContested(context, child, live)) return;
  if (isLeftAfterMove(context, child.kind, former)) return own(context, child, live);
  const request = digest(child.object);
  const sight = { version: live.metadata.resourceVersion, content: touchable(live) };
  if (context.memory.isDone(context.reader, child.id, request, sight)) return;
  const isApplied = applied !== undefined && contains(live, child.object) && ownsOnly(applied, child.object);
  if (former.length === 0 && !isForeign && isApplied) {
    context.memory.note(context.reader, child.id, request, sight);
    return;
  }
  await write(context, child, live, request);
}

/** Becomes the controller of what nobody controls, and changes nothing else about it. */
async function own(context: WriteContext, child: Child, live: KubeObject): Promise<void> {
  if (controllerOf(live) !== undefined) return;
  await changeOwners(context, child, { add: [ownerReferenceTo(context.object)] });
}

async function write(
  context: WriteContext,
  child: Child,
  live: KubeObject | undefined,
  request: string,
): Promise<void> {
  const { caches, client, memory, podSecurityLevel, reader, reconciler, report } = context;
  if (isHeld(reconciler) && !hasLevel(caches, child)) return waitForLevel(context, child);
  const breach = isHeld(reconciler) ? breachOf(caches, podSecurityLevel, child) : undefined;
  // What runs already stays: only the change is refused.
  if (breach !== undefined) return refuseInsecure(context, child, breach);
  const uid = live?.metadata.uid;
  const object = uid === undefined ? child.object : { ...child.object, metadata: { ...child.object.metadata, uid } };
  if (live !== undefined && isMadeByOther(context, live)) {
    await handOverChild(context, child);
    context.contests.note(reader, child.id, context.now);
  }
  report.writes += 1;
  const first = await client.apply(child.kind, object, { fieldManager: reconciler.name, force: live !== undefined });
  const former = live === undefined ? [] : formerManagersOf(context, live);
  const written = await releaseFormer(context, { ...child, written: first }, former);
  const version = written.metadata.resourceVersion;
  if (version !== live?.metadata.resourceVersion) report.changes += 1;
  if (live === undefined) report.created += 1;
  if (live === undefined && child.desired.events?.made !== undefined) report.notes.push(child.desired.events.made);
  memory.note(reader, child.id, request, { version, content: touchable(written) });
  report.settling.push(caches.of(child.kind).sightings.whenReached(version));
}

/** Whether the upstream operator has made the object, and it is in the way: two autoscalers would scale against each other. */
export function isStray(context: WriteContext, kind: Kind, live: KubeObject): boolean {
  const isOwn = controllerOf(live)?.uid === context.object.metadata.uid;
  return isOwn && isMadeByUpstream(context, live) && isDeletedWhenUnwanted(context.adopt, kind);
}

/** Whether the upstream operator has made the object, and it stays although no decision names it: it may be what serves. */
const isSpared = (context: WriteContext, kind: Kind, live: KubeObject): boolean =>
  isMadeByUpstream(context, live) && !isDeletedWhenUnwanted(context.adopt, kind);

function isMadeByUpstream({ caches, reconciler }: WriteContext, live: KubeObject): boolean {
  const maker = caches.fieldRecord.makerOf(live);
  return maker !== undefined && reconciler.upstream?.managers.includes(maker) === true;
}

const groupOf = (apiVersion: string): string => apiVersion.split("/").at(-2) ?? "";

/** Whether another operator has made the object, or has written it since we did. */
export function isMadeByOther({ caches, reconciler }: WriteContext, live: KubeObject): boolean {
  return reconciler.upstream !== undefined && caches.fieldRecord.makerOf(live) !== undefined;
}

/** Another operator has written the child each time that we took it over: it is left for a while, and the status says why. */
function isContested(context: WriteContext, { id, kind, ref }: Child, live: KubeObject): boolean {
  const { caches, contests, now, reader, report } = context;
  const pause = contests.pauseOf(reader, id, now);
  if (pause === undefined) return false;
  const manager = caches.fieldRecord.makerOf(live) ?? "";
  report.pause = Math.min(report.pause ?? pause, pause);
  refuseContested(context, { kind, ref }, manager);
  return true;
}

/** The owner's namespace exists, so the cache learns of it in a moment; another may not exist at all, which is a failure to retry. */
function waitForLevel({ object: owner, report }: WriteContext, { kind, ref }: Child): void {
  if (ref.namespace === owner.metadata.namespace) return;
  report.failures.push(new Error(`${describeChild(kind, ref)}: Namespace ${ref.namespace} not found`));
}

/** Somebody else's object has the name. It is left alone, and the person who can choose another name is told. */
function reportTaken(context: WriteContext, child: Child, live: KubeObject): void {
  const controller = controllerOf(live);
  const { kind } = context.reconciler;
  // Two APIs have a kind of the same name.
  const isNamesake = controller?.kind === kind.kind && groupOf(controller.apiVersion) !== kind.group;
  const whose = isNamesake ? ` of ${groupOf(controller.apiVersion)}` : "";
  const holder =
    controller === undefined
      ? "is not managed by Trivium"
      : `is already used by ${controller.kind} ${controller.name}${whose}`;
  context.memory.drop(context.reader, child.id);
  // What an object of this name left behind is deleted with its own end, in a moment.
  const isSameKind = controller?.kind === kind.kind && !isNamesake;
  const isLeftover = isSameKind && controller?.name === context.object.metadata.name;
  if (!isLeftover && live.metadata.deletionTimestamp === undefined) refuseTaken(context, child, holder);
  context.report.notes.push({
    type: "Warning",
    reason: "NameTaken",
    action: "Apply",
    message: `${describeChild(child.kind, child.ref)} ${holder}; delete or rename it`,
  });
}

/**
 * Removes what the decision no longer names: what this reconciler made for the object, or of the kinds that it controls all that the
 * object controls. What others made for it is theirs to remove.
 */
async function prune(context: WriteContext, wanted: ReadonlySet<string>): Promise<void> {
  const { caches, object, reconciler } = context;
  const owner = object.metadata.uid;
  if (owner === undefined) return;
  const { controls } = reconciler;
  const managers = [reconciler.name, ...(reconciler.formerNames ?? [])];
  const isOurs = (live: KubeObject, kind: Kind) =>
    controls === undefined
      ? managers.some((manager) => caches.fieldRecord.fieldsOf(live, manager) !== undefined) ||
        isStray(context, kind, live)
      : controllerOf(live)?.uid === owner && !isSpared(context, kind, live);
  for (const kind of controls ?? reconciler.writes) {
    for (const live of caches.of(kind).list({ owner })) {
      const { name = "", namespace, deletionTimestamp } = live.metadata;
      const ref = kind.namespaced ? { namespace, name } : { name };
      if (wanted.has(childId(kind, ref)) || deletionTimestamp !== undefined || !isOurs(live, kind)) continue;
      await remove(context, kind, live).catch((error: unknown) => fail(context, { kind, ref }, error));
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
