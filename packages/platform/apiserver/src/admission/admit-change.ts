import type { AnyObject, ObjectMeta } from "@trivium/kube";
import type { FieldError } from "@trivium/schema";
import { append, deepEqual, type JsonObject, setOwn } from "@trivium/std";
import { refuseEscalation } from "../authorization/escalation.ts";
import type { Call } from "../call.ts";
import { enforceLimitRanges } from "../limit-range/enforce.ts";
import { enforceQuota } from "../quota/enforce.ts";
import type { Resource } from "../resource.ts";
import { dropEmptyManagedFields, refuseFaults, track, unowned } from "./admission.ts";
import { fillByAdmission, judgeByAdmission } from "./ask-admission.ts";
import { faultsOfMetadata, faultsOfMetadataChange } from "./metadata.ts";

/** A change of a stored object by one of its subresources, or "" for the whole. */
export interface Edit {
  readonly live: AnyObject;
  readonly next: AnyObject;
  readonly subresource: string;
  /** Undefined when managedFields are written already. */
  readonly manager: string | undefined;
}

/** Fills in, checks and completes the next state of an object. Returns false when nothing changes. */
export function admitChange(call: Call, edit: Edit): boolean {
  const { backend, resource } = call;
  const { strategy } = resource;
  const { live, next, subresource, manager } = edit;
  const now = backend.now();
  // A patch shares what it did not touch with the object it was made from; what is written below must not show there.
  if (next.metadata === live.metadata) Object.assign(next, { metadata: { ...live.metadata } });
  keepOthers(resource, edit);
  // An empty list switches the account of managers off, and must outlive the removal of what says nothing.
  const isSwitchedOff = next.metadata.managedFields?.length === 0;
  strategy.applyDefaults(next, live);
  if (isSwitchedOff) next.metadata.managedFields = [];
  keepSystemFields(next.metadata, live.metadata);
  if (manager !== undefined) track(resource, { live, next, subresource, manager, now });
  else dropEmptyManagedFields(next.metadata);
  if (subresource === "") fillByAdmission(call, { verb: "update", object: next, old: live });
  if (subresource === "") strategy.prepareForUpdate?.(next, live, backend.strategyContext());
  if (subresource !== "status" && strategy.hasGeneration && isSpecChanged(resource, next, live)) {
    next.metadata.generation = (live.metadata.generation ?? 0) + 1;
  }
  const faults = [
    ...faultsOfMetadata(resource, next.metadata),
    ...faultsOfMetadataChange(next.metadata, live.metadata),
  ];
  append(
    faults,
    faultsOfContent(resource, edit, (text) => call.warnings.push(text)),
  );
  refuseFaults(resource, next, faults);
  const isRemarkable = !strategy.hasGeneration || next.metadata.generation !== live.metadata.generation;
  if (subresource === "" && isRemarkable) append(call.warnings, strategy.warnings?.(next) ?? []);
  refuseEscalation(call, next, live);
  if (subresource === "") judgeByAdmission(call, { verb: "update", object: next, old: live });
  if (subresource === "") enforceLimitRanges(call, next, live);
  if (subresource !== "status") enforceQuota(call, next, live);
  return !isSame(next, live);
}

function faultsOfContent(
  resource: Resource,
  { live, next, subresource }: Edit,
  warn: (text: string) => void,
): FieldError[] {
  const { strategy } = resource;
  if (subresource === "status" && strategy.validateStatus !== undefined) return strategy.validateStatus(next, live);
  const ofPart = subresource === "" ? undefined : strategy.validateSubresource?.(subresource, next, live);
  return ofPart ?? strategy.validate(next, live, warn);
}

/** Each subresource writes its own part and leaves the rest as it is. */
function keepOthers(resource: Resource, { live, next, subresource }: Edit): void {
  if (subresource === "status") {
    keepAllButStatus(resource, live, next);
    return;
  }
  if (subresource === "ephemeralcontainers") keepAllButEphemerals(live, next);
  if (!resource.subresources.status) return;
  if (live.status === undefined) delete next.status;
  else next.status = live.status;
}

/** Of a write of ephemeral containers nothing else is taken. */
function keepAllButEphemerals(live: AnyObject, next: AnyObject): void {
  const { ephemeralContainers } = (next.spec ?? {}) as JsonObject;
  const spec = live.spec as JsonObject;
  next.spec = ephemeralContainers === undefined ? spec : { ...spec, ephemeralContainers };
}

/** A write of status may bring metadata with it, as far as the kind allows. */
function keepAllButStatus(resource: Resource, live: AnyObject, next: AnyObject): void {
  const { status, metadata } = next;
  const kept = unowned(resource, "status");
  for (const key of Object.keys(next)) delete next[key];
  for (const key of Object.keys(live)) setOwn(next, key, live[key]);
  next.metadata = kept.includes("metadata") ? { ...live.metadata } : metadata;
  if (metadata.managedFields !== undefined) next.metadata.managedFields = metadata.managedFields;
  for (const path of kept) if (path.startsWith("metadata.")) keepField(next.metadata, live.metadata, path.slice(9));
  if (status === undefined) delete next.status;
  else next.status = status;
}

function keepField(meta: ObjectMeta, old: ObjectMeta, field: string): void {
  const name = field as keyof ObjectMeta;
  if (old[name] === undefined) delete meta[name];
  else Object.assign(meta, { [name]: old[name] });
}

function keepSystemFields(meta: ObjectMeta, old: ObjectMeta): void {
  delete meta.selfLink;
  meta.uid ??= old.uid as string;
  for (const field of ["generation", "creationTimestamp"] as const) {
    if (old[field] === undefined) delete meta[field];
    else Object.assign(meta, { [field]: old[field] });
  }
  if (old.deletionTimestamp !== undefined) meta.deletionTimestamp ??= old.deletionTimestamp;
  if (old.deletionGracePeriodSeconds !== undefined) meta.deletionGracePeriodSeconds ??= old.deletionGracePeriodSeconds;
  meta.resourceVersion = old.resourceVersion as string;
}

function isSpecChanged(resource: Resource, next: AnyObject, live: AnyObject): boolean {
  for (const key of new Set([...Object.keys(next), ...Object.keys(live)])) {
    if (key === "metadata" || key === "apiVersion" || (key === "status" && resource.subresources.status)) continue;
    if (!deepEqual(next[key], live[key])) return true;
  }
  return false;
}

/** Equal but for the times at which managers last wrote. */
function isSame(next: AnyObject, live: AnyObject): boolean {
  const bare = (object: AnyObject): object => {
    const managedFields = object.metadata.managedFields?.map(({ time: _, ...entry }) => entry);
    return { ...object, apiVersion: "", metadata: { ...object.metadata, managedFields } };
  };
  return deepEqual(bare(next), bare(live));
}
