import { apiVersionOf, type Condition, mergeConditions } from "@trivium/kube";
import { deepEqual, isObject, type JsonObject } from "@trivium/std";
import { handOverStatus } from "../adopt/hand-over.ts";
import { formerManagersOf, ofStatus, releaseFormer } from "./former-names.ts";
import { describeContest } from "./refusal.ts";
import { contains, digest, ownsOnly } from "./satisfied.ts";
import type { WriteContext } from "./write-context.ts";

const slot = "status";

/**
 * Writes the decided status, whole and in one call, if it is not what is there. Server-side apply keeps what others wrote beside
 * it, takes back what we wrote before and no longer say, and never loses against a concurrent change of the spec; the uid keeps
 * it from landing on an object that was made anew under the name.
 */
export async function writeStatus(context: WriteContext, decided: unknown): Promise<void> {
  if (decided === undefined || decided === null) return;
  const { client, memory, object, reader, reconciler, report } = context;
  const live = (object as { status?: JsonObject }).status;
  const status = completeStatus(context, decided as JsonObject, live);
  if (deepEqual(live ?? {}, status)) return;
  if (reconciler.ownsStatus) return replaceStatus(context, live ?? {}, status);
  const request = digest(status);
  if (memory.isDone(reader, slot, request, { version: object.metadata.resourceVersion, content: live })) return;
  const applied = context.caches.fieldRecord.fieldsOf(object, reconciler.name, "status");
  const former = formerManagersOf(context, object, ofStatus);
  if (former.length === 0 && applied !== undefined && contains(live, status) && ownsOnly(applied, { status })) return;
  const { name, namespace, uid } = object.metadata;
  const metadata = { name, uid, ...(namespace === undefined ? {} : { namespace }) };
  const body = { apiVersion: apiVersionOf(reconciler.kind), kind: reconciler.kind.kind, metadata, status };
  const options = { fieldManager: reconciler.name, force: true, subresource: "status" } as const;
  const isUpstreams = reconciler.upstream !== undefined && context.caches.fieldRecord.reporterOf(object) !== undefined;
  if (isUpstreams && isStatusContested(context)) return;
  if (isUpstreams) {
    await handOverStatus(context);
    context.contests.note(reader, slot, context.now);
  }
  report.writes += 1;
  const first = await client.apply(reconciler.kind, body, options);
  const target = { kind: reconciler.kind, ref: { namespace, name: name ?? "" }, written: first };
  const written = await releaseFormer(context, target, former, ofStatus);
  const version = written.metadata.resourceVersion;
  report.statusVersion = version;
  if (version !== object.metadata.resourceVersion) report.changes += 1;
  memory.note(reader, slot, request, { version, content: (written as { status?: unknown }).status });
  report.settling.push(context.caches.of(reconciler.kind).sightings.whenReached(version));
}

/** Another operator reports on the object, too: a status that changes with every write helps no reader. */
function isStatusContested(context: WriteContext): boolean {
  const { caches, contests, now, object, reader, reconciler, report } = context;
  const pause = contests.pauseOf(reader, slot, now);
  if (pause === undefined) return false;
  report.pause = Math.min(report.pause ?? pause, pause);
  const contest = describeContest(context, caches.fieldRecord.reporterOf(object) ?? "");
  const message = `Status of ${reconciler.kind.kind} ${object.metadata.name} ${contest}; stop one of the two operators`;
  report.notes.push({ type: "Warning", reason: "Contested", action: "Report", message });
  return true;
}

/** Makes the status what was decided and nothing else. Whoever wrote it meanwhile is seen first. */
async function replaceStatus(context: WriteContext, live: JsonObject, status: JsonObject): Promise<void> {
  const { client, object, reconciler, report } = context;
  const { name = "", namespace, uid = "", resourceVersion = "" } = object.metadata;
  const body = { metadata: { uid, resourceVersion }, status: difference(live, status) };
  const options = { fieldManager: reconciler.name, subresource: "status" } as const;
  report.writes += 1;
  const written = await client.patch(reconciler.kind, { namespace, name }, { type: "merge", body }, options);
  if (written.metadata.resourceVersion !== resourceVersion) report.changes += 1;
  report.settling.push(context.caches.of(reconciler.kind).sightings.whenReached(written.metadata.resourceVersion));
}

/** The merge patch that turns one object into the other. */
function difference(from: JsonObject, to: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const key of Object.keys(from)) if (to[key] === undefined) patch[key] = null;
  for (const [key, wanted] of Object.entries(to)) {
    const there = from[key];
    if (wanted === undefined || deepEqual(there, wanted)) continue;
    patch[key] = isObject(there) && isObject(wanted) ? difference(there, wanted) : wanted;
  }
  return patch;
}

/** Every condition says which generation it is about, and keeps the time of its last change. */
function completeStatus(context: WriteContext, decided: JsonObject, live: JsonObject | undefined): JsonObject {
  if (!Array.isArray(decided.conditions)) return decided;
  const next = (decided.conditions as unknown as Condition[]).map((condition) => withGeneration(context, condition));
  const merged = mergeConditions(live?.conditions as unknown as Condition[] | undefined, next, context.now);
  return { ...decided, conditions: merged as unknown as JsonObject[] };
}

function withGeneration({ object, reconciler }: WriteContext, condition: Condition): Condition {
  const { generation } = object.metadata;
  if (reconciler.hasPlainConditions) return condition;
  return condition.observedGeneration !== undefined || generation === undefined
    ? condition
    : { ...condition, observedGeneration: generation };
}
