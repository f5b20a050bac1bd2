import type { ApiResponse, Status } from "@trivium/kube";
import type { FieldError } from "@trivium/schema";
import { isObject, type Json, type JsonObject } from "@trivium/std";
import { judgeByAdmission } from "../admission/ask-admission.ts";
import type { Body } from "../body/body.ts";
import { readBody, UnrecognizedError } from "../body/decode.ts";
import { DecodeFault, decodeObject as decodeTyped } from "../built-in/wire/decode.ts";
import type { Call } from "../call.ts";
import { faultsOfDryRun, integerOf } from "../options.ts";
import { badRequest, forbidden, invalid, notFound } from "../refusals.ts";
import { storeName } from "../registry.ts";
import { isTrue } from "../request.ts";
import type { Resource } from "../resource.ts";
import { respond } from "../respond.ts";
import { type Deleted, type DeletionOptions, deleteStored, type Propagation } from "../storage/deletion.ts";
import { objectAt, serialize } from "../storage/storage.ts";
import { renderOne, viewOf } from "../view/view.ts";

export async function deleteOne(call: Call): Promise<ApiResponse> {
  const view = viewOf(call, "one");
  const options = deletionOptions(call);
  if (storeName(call.resource) === "namespaces" && lasting.has(call.name)) {
    throw forbidden(call.resource, call.name, "this namespace may not be deleted");
  }
  const { storage } = call.backend;
  const stored = storage.get(call.resource, call.namespace, call.name);
  if (stored === undefined) throw notFound(call.resource, call.name);
  if (call.backend.admission !== undefined) {
    judgeByAdmission(call, { verb: "delete", object: objectAt(call.resource, stored) });
  }
  const deleted = await deleteStored(call.backend, call.resource, stored, options);
  if (storeName(call.resource) === "jobs.batch" && options.propagation === undefined) call.warnings.push(podsStay);
  if (deleted.is === "going" || returnsObject.has(storeName(call.resource))) {
    const isAccepted = deleted.is === "going" && options.isLegacy === true && options.propagation === "Background";
    return respond(call, isAccepted ? 202 : 200, renderOne(view, serialize(deleted.object)));
  }
  return respond(call, 200, JSON.stringify(successStatus(call.resource, deleted)));
}

const podsStay =
  "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning";

/** Namespaces that others build on. */
const lasting: ReadonlySet<string> = new Set(["default", "kube-system", "kube-public"]);

/** Kinds whose last state is the answer to their deletion. */
const returnsObject: ReadonlySet<string> = new Set([
  "pods",
  "podtemplates",
  "persistentvolumes",
  "persistentvolumeclaims",
  "serviceaccounts",
  "services",
  "resourcequotas",
  "csidrivers.storage.k8s.io",
  "csinodes.storage.k8s.io",
  "storageclasses.storage.k8s.io",
  "volumeattachments.storage.k8s.io",
]);

function successStatus(resource: Resource, { object }: Deleted): Status {
  const { name = "", uid = "" } = object.metadata;
  const group = resource.group === "" ? {} : { group: resource.group };
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name, ...group, kind: resource.plural, uid },
  };
}

/** Options come in the query, in the body, or both; the body says the last word. */
export function deletionOptions(call: Call): DeletionOptions {
  const { query } = call;
  const body = bodyOptions(call);
  const dryRun = [...query.getAll("dryRun"), ...texts(body.dryRun)];
  const propagation = textOf(body.propagationPolicy) ?? query.get("propagationPolicy") ?? undefined;
  const orphan =
    body.orphanDependents ?? (query.has("orphanDependents") ? isTrue(query.get("orphanDependents")) : undefined);
  const faults: FieldError[] = faultsOfDryRun(dryRun);
  if (propagation !== undefined && !["Foreground", "Background", "Orphan"].includes(propagation)) {
    const supported = ["Foreground", "Background", "Orphan", "nil"];
    faults.push({
      reason: "FieldValueNotSupported",
      field: "propagationPolicy",
      value: propagation,
      detail: "",
      supported,
    });
  }
  if (propagation !== undefined && orphan !== undefined) {
    const detail = "orphanDependents and deletionPropagation cannot be both set";
    faults.push({ reason: "FieldValueInvalid", field: "propagationPolicy", value: propagation, detail });
  }
  if (faults.length > 0) throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", faults);
  const preconditions = isObject(body.preconditions) ? body.preconditions : {};
  return {
    gracePeriodSeconds:
      typeof body.gracePeriodSeconds === "number" ? body.gracePeriodSeconds : integerOf(query, "gracePeriodSeconds"),
    propagation: (propagation as Propagation | undefined) ?? legacyPropagation(orphan),
    isLegacy: typeof orphan === "boolean",
    preconditions: { uid: textOf(preconditions.uid), resourceVersion: textOf(preconditions.resourceVersion) },
    dryRun: dryRun.length > 0,
  };
}

function legacyPropagation(orphan: Json | undefined): Propagation | undefined {
  return orphan === undefined || orphan === null ? undefined : orphan === true ? "Orphan" : "Background";
}

function bodyOptions(call: Call): JsonObject {
  const text = call.request.body ?? "";
  if (text.trim() === "") return {};
  const { value } = readOptions(text, call.request.headers["content-type"]);
  if (!isObject(value)) throw badRequest("DeleteOptions must be an object");
  if (value.kind !== undefined && value.kind !== "DeleteOptions") {
    throw badRequest(
      `${String(value.kind)} in version "${String(value.apiVersion ?? "v1")}" cannot be handled as DeleteOptions`,
    );
  }
  try {
    decodeTyped("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions", value);
  } catch (error) {
    if (error instanceof DecodeFault) throw badRequest(error.message);
    throw error;
  }
  return value;
}

function readOptions(text: string, contentType: string | undefined): Body {
  try {
    return readBody({ kind: "DeleteOptions" }, text, contentType);
  } catch (error) {
    throw error instanceof UnrecognizedError ? badRequest(error.detail) : error;
  }
}

const textOf = (value: Json | undefined): string | undefined => (typeof value === "string" ? value : undefined);
const texts = (value: Json | undefined): string[] => (Array.isArray(value) ? value.map(String) : []);
