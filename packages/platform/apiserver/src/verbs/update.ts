import type { AnyObject, ApiResponse } from "@trivium/kube";
import { matchPath } from "../admission/admission.ts";
import { decodeObject } from "../body/decode.ts";
import type { Call } from "../call.ts";
import { writeOptions } from "../options.ts";
import { conflict, invalid, notFound, optimisticLock, refusal } from "../refusals.ts";
import { storeName } from "../registry.ts";
import type { Resource } from "../resource.ts";
import { respond } from "../respond.ts";
import { objectAt } from "../storage/storage.ts";
import { changeObject, createObject, type Written } from "../storage/write.ts";
import { renderOne, viewOf } from "../view/view.ts";

/** PUT of an object or of its status. */
export async function update(call: Call): Promise<ApiResponse> {
  const view = viewOf(call, "one");
  const options = writeOptions(call, "UpdateOptions");
  const next = decodeObject(call, options.validation);
  matchPath(call, next.metadata);
  const { text, isNew } = await replace(call, next, options);
  return respond(call, isNew ? 201 : 200, renderOne(view, text));
}

async function replace(call: Call, next: AnyObject, options: { dryRun: boolean; manager: string }): Promise<Written> {
  const { resource, subresource } = call;
  const stored = call.backend.storage.get(resource, call.namespace, call.name);
  if (stored === undefined) {
    if (resource.strategy.allowsCreateOnUpdate !== true || subresource !== "") throw notFound(resource, call.name);
    return createObject(call, next, options);
  }
  const live = objectAt(resource, stored);
  checkUid(call, next, live);
  checkVersion(call, next, live);
  return changeObject(call, { ...options, stored, live, next, subresource });
}

function checkUid(call: Call, next: AnyObject, live: AnyObject): void {
  const { uid } = next.metadata;
  if (uid === undefined || uid === "" || uid === live.metadata.uid) return;
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`;
  throw conflict(call.resource, call.name, why);
}

/** Built-in kinds of which only the state one has seen may be overwritten. */
const versioned: ReadonlySet<string> = new Set([
  "leases.coordination.k8s.io",
  "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  "poddisruptionbudgets.policy",
  "runtimeclasses.node.k8s.io",
  "validatingwebhookconfigurations.admissionregistration.k8s.io",
]);

const needsVersion = (resource: Resource): boolean =>
  resource.origin === "custom" || versioned.has(storeName(resource));

/** The object must be the one that the caller saw, where they say which that was. */
export function checkVersion(call: Call, next: AnyObject, live: AnyObject): void {
  const { resource } = call;
  const version = next.metadata.resourceVersion ?? "";
  if (version !== "" && !/^\d+$/.test(version)) {
    throw refusal(500, undefined, `strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
  }
  if (version !== "" && version !== "0") {
    if (version !== live.metadata.resourceVersion) throw conflict(resource, call.name, optimisticLock);
    return;
  }
  if (resource.strategy.allowsUnconditionalUpdate ?? !needsVersion(resource)) return;
  const detail = "must be specified for an update";
  throw invalid({ group: resource.group, kind: resource.plural }, call.name, [
    { reason: "FieldValueInvalid", field: "metadata.resourceVersion", value: 0, detail },
  ]);
}
