import { randomInt, randomUUID } from "node:crypto";
import { type AnyObject, type ObjectMeta, trackUpdate } from "@trivium/kube";
import type { FieldError } from "@trivium/schema";
import { deepEqual, formatTime, type Json } from "@trivium/std";
import type { Call } from "./call.ts";
import { faultsOfMetadata, faultsOfMetadataChange } from "./metadata.ts";
import { badRequest, forbidden, invalid, notFound } from "./refusals.ts";
import type { Resource } from "./resource.ts";

/** The counter: what every object passes before it is stored, whichever verb brought it. */

/** Names and namespaces in an object must be those of the path it came by. */
export function matchPath(call: Call, meta: ObjectMeta): void {
  const { resource, namespace, name } = call;
  if (resource.namespaced) {
    if (meta.namespace !== undefined && meta.namespace !== "" && meta.namespace !== namespace) {
      throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
    }
    meta.namespace = namespace;
  } else if (meta.namespace === "") delete meta.namespace;
  if (name === "") return;
  if (meta.name === undefined || meta.name === "") {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (meta.name !== name) {
    throw badRequest(`the name of the object (${meta.name}) does not match the name on the URL (${name})`);
  }
}

/** New content needs a namespace that is there to stay. */
export function requireNamespace(call: Call, name: string): void {
  const { backend, resource, namespace } = call;
  if (!resource.namespaced) return;
  const namespaces = backend.registry.storageOf("namespaces");
  if (namespaces === undefined) return;
  const stored = backend.storage.get(namespaces, "", namespace);
  if (stored === undefined) throw notFound(namespaces, namespace);
  if (!stored.text.includes('"deletionTimestamp"')) return;
  if ((JSON.parse(stored.text) as AnyObject).metadata.deletionTimestamp === undefined) return;
  throw forbidden(
    resource,
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: "NamespaceTerminating",
        message: `namespace ${namespace} is being terminated`,
        field: "metadata.namespace",
      },
    ],
  );
}

/** Fills in, checks and completes an object that is not there yet. `manager` is undefined when managedFields are written already. */
export function admitNew(call: Call, object: AnyObject, manager: string | undefined): void {
  const { backend, resource } = call;
  const { strategy } = resource;
  const now = backend.now();
  const meta = object.metadata;
  if (resource.subresources.status && strategy.keepsStatusOnCreate !== true) delete object.status;
  resetSystemFields(meta);
  strategy.applyDefaults(object);
  if (manager === undefined) requireManagedFields(meta);
  else track(resource, { next: object, manager, now });
  requireNamespace(call, meta.name ?? "");
  meta.name = nameFor(meta);
  meta.uid = randomUUID();
  meta.creationTimestamp = formatTime(now);
  if (strategy.hasGeneration) meta.generation = 1;
  strategy.prepareForCreate?.(object, backend.strategyContext());
  refuseFaults(resource, object, [...faultsOfMetadata(resource, meta), ...strategy.validate(object)]);
  call.warnings.push(...(strategy.warnings?.(object) ?? []));
}

function requireManagedFields(meta: ObjectMeta): void {
  if (meta.managedFields?.length === 0) delete meta.managedFields;
}

function resetSystemFields(meta: ObjectMeta): void {
  delete meta.uid;
  delete meta.creationTimestamp;
  delete meta.deletionTimestamp;
  delete meta.deletionGracePeriodSeconds;
  delete meta.selfLink;
}

const suffixLetters = "bcdfghjklmnpqrstvwxz2456789";
const longestBase = 63 - 5;

function nameFor(meta: ObjectMeta): string {
  if (meta.name !== undefined && meta.name !== "") return meta.name;
  if (meta.generateName === undefined || meta.generateName === "") return "";
  let name = meta.generateName.slice(0, longestBase);
  for (let letter = 0; letter < 5; letter++) name += suffixLetters[randomInt(suffixLetters.length)];
  return name;
}

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
  keepOthers(resource, edit);
  strategy.applyDefaults(next, live);
  keepSystemFields(next.metadata, live.metadata);
  if (manager !== undefined) track(resource, { live, next, subresource, manager, now });
  else requireManagedFields(next.metadata);
  if (subresource === "") strategy.prepareForUpdate?.(next, live, backend.strategyContext());
  if (subresource !== "status" && strategy.hasGeneration && isSpecChanged(resource, next, live)) {
    next.metadata.generation = (live.metadata.generation ?? 0) + 1;
  }
  const faults = [
    ...faultsOfMetadata(resource, next.metadata),
    ...faultsOfMetadataChange(next.metadata, live.metadata),
  ];
  faults.push(...faultsOfContent(resource, edit));
  refuseFaults(resource, next, faults);
  if (subresource === "") call.warnings.push(...(strategy.warnings?.(next) ?? []));
  return !isSame(next, live);
}

function faultsOfContent(resource: Resource, { live, next, subresource }: Edit): FieldError[] {
  const { strategy } = resource;
  if (subresource === "status" && strategy.validateStatus !== undefined) return strategy.validateStatus(next, live);
  return strategy.validate(next, live);
}

/** Each subresource writes its own part and leaves the rest as it is. */
function keepOthers(resource: Resource, { live, next, subresource }: Edit): void {
  if (subresource === "status") {
    const { managedFields } = next.metadata;
    const { status } = next;
    for (const key of Object.keys(next)) delete next[key];
    Object.assign(next, live, { metadata: { ...live.metadata } });
    if (managedFields !== undefined) next.metadata.managedFields = managedFields;
    if (status === undefined) delete next.status;
    else next.status = status;
    return;
  }
  if (!resource.subresources.status) return;
  if (live.status === undefined) delete next.status;
  else next.status = live.status;
}

function keepSystemFields(meta: ObjectMeta, old: ObjectMeta): void {
  delete meta.selfLink;
  meta.uid ??= old.uid as string;
  for (const field of ["generation", "creationTimestamp", "deletionTimestamp"] as const) {
    if (old[field] === undefined) delete meta[field];
    else Object.assign(meta, { [field]: old[field] });
  }
  if (old.deletionGracePeriodSeconds !== undefined) meta.deletionGracePeriodSeconds ??= old.deletionGracePeriodSeconds;
  else delete meta.deletionGracePeriodSeconds;
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

interface Tracked {
  readonly live?: AnyObject;
  readonly next: AnyObject;
  readonly manager: string;
  readonly subresource?: string;
  readonly now: number;
}

function track(resource: Resource, { live, next, manager, subresource, now }: Tracked): void {
  const managedFields = trackUpdate({
    ...(live === undefined ? {} : { live }),
    next,
    schema: resource.schema,
    manager,
    ...(subresource ? { subresource } : {}),
    now,
  });
  if (managedFields.length > 0) next.metadata.managedFields = managedFields;
  else delete next.metadata.managedFields;
}

function refuseFaults(resource: Resource, object: AnyObject, faults: readonly FieldError[]): void {
  if (faults.length > 0) throw invalid(resource, object.metadata.name ?? "", faults);
}

/** Whether the last finalizer of an object that is being deleted is gone. */
export function isReadyToGo(object: AnyObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds > 0 || finalizers.length > 0) return false;
  const spec = object.kind === "Namespace" ? (object.spec as { finalizers?: Json[] } | undefined) : undefined;
  return (spec?.finalizers ?? []).length === 0;
}
