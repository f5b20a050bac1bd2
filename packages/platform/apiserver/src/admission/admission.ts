import { randomInt, randomUUID } from "node:crypto";
import { type AnyObject, type ObjectMeta, resetFieldsOf, trackUpdate } from "@trivium/kube";
import type { FieldError } from "@trivium/schema";
import { append, formatTime, type Json } from "@trivium/std";
import { refuseEscalation } from "../authorization/escalation.ts";
import type { Call } from "../call.ts";
import { enforceLimitRanges, fillByLimitRanges } from "../limit-range/enforce.ts";
import { enforceQuota } from "../quota/enforce.ts";
import { badRequest, forbidden, invalid, notFound, verbNotSupported } from "../refusals.ts";
import { storageGroupOf } from "../registry.ts";
import type { Resource } from "../resource.ts";
import { fillByAdmission, judgeByAdmission } from "./ask-admission.ts";
import { faultsOfMetadata } from "./metadata.ts";
import { enforcePodSecurity } from "./pod-security.ts";

/** The counter: what every object passes before it is stored, whichever verb brought it. */

/** Names and namespaces in an object must be those of the path it came by. */
export function matchPath(call: Call, meta: ObjectMeta): void {
  const { resource, namespace, name } = call;
  if (resource.namespaced) {
    if (meta.namespace !== undefined && meta.namespace !== "" && meta.namespace !== namespace) {
      throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
    }
    meta.namespace = namespace;
  } else delete meta.namespace;
  if (name === "") return;
  if (meta.name === undefined || meta.name === "") {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (meta.name !== name) {
    throw badRequest(`the name of the object (${meta.name}) does not match the name on the URL (${name})`);
  }
}

const leavingMessage = "create not allowed while custom resource definition is terminating";

/** New content needs a namespace that is there to stay. */
export function requireNamespace(call: Call, name: string): void {
  const { backend, resource, namespace } = call;
  if (resource.isLeaving === true) throw verbNotSupported(resource, "create", leavingMessage);
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
  if (manager === undefined) dropEmptyManagedFields(meta);
  else track(resource, { next: object, manager, now });
  fillByAdmission(call, { verb: "create", object });
  fillByLimitRanges(call, object);
  requireNamespace(call, meta.name ?? "");
  meta.name = nameFor(meta);
  meta.uid = randomUUID();
  meta.creationTimestamp = formatTime(now);
  if (strategy.hasGeneration) meta.generation = 1;
  strategy.prepareForCreate?.(object, backend.strategyContext());
  refuseFaults(resource, object, [...faultsOfMetadata(resource, meta), ...strategy.validate(object)]);
  append(call.warnings, strategy.warnings?.(object) ?? []);
  refuseEscalation(call, object);
  judgeByAdmission(call, { verb: "create", object });
  enforcePodSecurity(call, object);
  enforceLimitRanges(call, object);
  enforceQuota(call, object);
}

export function dropEmptyManagedFields(meta: ObjectMeta): void {
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

interface Tracked {
  readonly live?: AnyObject;
  readonly next: AnyObject;
  readonly manager: string;
  readonly subresource?: string;
  readonly now: number;
}

export function track(resource: Resource, { live, next, manager, subresource, now }: Tracked): void {
  const managedFields = trackUpdate({
    ...(live === undefined ? {} : { live }),
    next,
    schema: resource.schema,
    manager,
    ...(subresource ? { subresource } : {}),
    now,
    resetFields: unowned(resource, subresource ?? ""),
  });
  if (managedFields.length > 0) next.metadata.managedFields = managedFields;
  else delete next.metadata.managedFields;
}

/** Fields that a path cannot write are not owned through it either. */
export function unowned({ group, kind, origin, subresources }: Resource, subresource: string): readonly string[] {
  return resetFieldsOf({ group, kind, origin, hasStatus: subresources.status, subresource });
}

export function refuseFaults(resource: Resource, object: AnyObject, faults: readonly FieldError[]): void {
  if (faults.length === 0) return;
  // A refusal names the kind that would have been stored.
  throw invalid({ group: storageGroupOf(resource), kind: resource.kind }, object.metadata.name ?? "", faults);
}

/** Whether the last finalizer of an object that is being deleted is gone. */
export function isReadyToGo(object: AnyObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds > 0 || finalizers.length > 0) return false;
  const spec = object.kind === "Namespace" ? (object.spec as { finalizers?: Json[] } | undefined) : undefined;
  return (spec?.finalizers ?? []).length === 0;
}
