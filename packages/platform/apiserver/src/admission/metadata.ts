import type { ManagedFields, ObjectMeta, OwnerReference } from "@trivium/kube";
import type { FieldError } from "@trivium/schema";
import {
  append,
  deepEqual,
  faultsOfDnsLabel,
  faultsOfDnsSubdomain,
  faultsOfLabelValue,
  faultsOfQualifiedName,
  type Json,
} from "@trivium/std";
import type { Resource } from "../resource.ts";

/** The rules that `metadata` obeys in every kind. */
const annotationsLimit = 256 * 1024;
const standardFinalizers: ReadonlySet<string> = new Set(["orphan", "foregroundDeletion", "kubernetes"]);

export function faultsOfMetadata(resource: Resource, meta: ObjectMeta): FieldError[] {
  const faults = faultsOfName(resource, meta);
  if (meta.generation !== undefined && meta.generation < 0) {
    faults.push(bad("metadata.generation", meta.generation, "must be greater than or equal to 0"));
  }
  append(faults, faultsOfLabels(meta.labels), faultsOfAnnotations(meta.annotations));
  append(faults, faultsOfOwners(meta.ownerReferences), faultsOfFinalizers(resource, meta.finalizers));
  append(faults, faultsOfManagedFields(meta.managedFields));
  return faults;
}

const bad = (field: string, value: unknown, detail: string): FieldError => ({
  reason: "FieldValueInvalid",
  field,
  value: (value ?? "") as Json,
  detail,
});

function faultsOfName(resource: Resource, meta: ObjectMeta): FieldError[] {
  const faults: FieldError[] = [];
  const check = resource.strategy.validateName ?? faultsOfDnsSubdomain;
  if (meta.generateName !== undefined && meta.generateName !== "") {
    // More letters follow, so a dash at the end is none.
    const prefix = meta.generateName.replace(/(?<=.)-$/, "a");
    for (const fault of check(prefix)) faults.push(bad("metadata.generateName", meta.generateName, fault));
  }
  if (meta.name === undefined || meta.name === "") {
    faults.push({ reason: "FieldValueRequired", field: "metadata.name", detail: "name or generateName is required" });
  } else {
    for (const fault of check(meta.name)) faults.push(bad("metadata.name", meta.name, fault));
  }
  if (!resource.namespaced && meta.namespace !== undefined && meta.namespace !== "") {
    faults.push({ reason: "FieldValueForbidden", field: "metadata.namespace", detail: "not allowed on this type" });
  }
  if (!resource.namespaced) return faults;
  for (const fault of faultsOfDnsLabel(meta.namespace ?? ""))
    faults.push(bad("metadata.namespace", meta.namespace, fault));
  return faults;
}

export function faultsOfLabels(labels: Record<string, string> | undefined, field = "metadata.labels"): FieldError[] {
  const faults: FieldError[] = [];
  for (const [key, value] of Object.entries(labels ?? {})) {
    for (const fault of faultsOfQualifiedName(key)) faults.push(bad(field, key, fault));
    for (const fault of faultsOfLabelValue(value)) faults.push(bad(field, value, fault));
  }
  return faults;
}

function faultsOfAnnotations(annotations: Record<string, string> | undefined): FieldError[] {
  const faults: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    size += key.length + value.length;
    for (const fault of faultsOfQualifiedName(key.toLowerCase())) faults.push(bad("metadata.annotations", key, fault));
  }
  if (size > annotationsLimit) {
    const detail = `may not be more than ${annotationsLimit} bytes`;
    faults.push({ reason: "FieldValueTooLong", field: "metadata.annotations", value: "", detail });
  }
  return faults;
}

function faultsOfOwners(owners: readonly OwnerReference[] | undefined): FieldError[] {
  const field = "metadata.ownerReferences";
  const faults: FieldError[] = [];
  let controller: string | undefined;
  for (const owner of owners ?? []) {
    append(faults, faultsOfOwner(owner, field));
    if (owner.controller !== true) continue;
    const name = `${owner.kind}/${owner.name}`;
    if (controller === undefined) controller = name;
    else
      faults.push(
        bad(
          field,
          owners,
          `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`,
        ),
      );
  }
  return faults;
}

function faultsOfOwner(owner: OwnerReference, field: string): FieldError[] {
  const faults: FieldError[] = [];
  const version = (owner.apiVersion ?? "").split("/").at(-1);
  if (version === "") faults.push(bad(`${field}.apiVersion`, owner.apiVersion, "version must not be empty"));
  for (const part of ["kind", "name", "uid"] as const) {
    if ((owner[part] ?? "") === "") faults.push(bad(`${field}.${part}`, owner[part], "must not be empty"));
  }
  if (owner.apiVersion === "v1" && owner.kind === "Event") {
    faults.push(bad(field, owner, "/v1, Kind=Event is disallowed from being an owner"));
  }
  return faults;
}

const isWellNamed = (finalizer: string): boolean => finalizer.includes("/") || standardFinalizers.has(finalizer);

/** What is said of finalizers of custom resources that others might use by accident; those of built-in kinds are refused. */
export function warningsOfFinalizers(finalizers: readonly string[] | undefined): string[] {
  const advice = "prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers";
  const doubtful = (finalizers ?? []).filter((name) => !isWellNamed(name));
  return doubtful.map((name) => `metadata.finalizers: ${JSON.stringify(name)}: ${advice}`);
}

function faultsOfFinalizers(resource: Resource, finalizers: readonly string[] | undefined): FieldError[] {
  const faults: FieldError[] = [];
  for (const name of finalizers ?? []) {
    for (const fault of faultsOfQualifiedName(name)) faults.push(bad("metadata.finalizers", name, fault));
  }
  for (const [index, name] of (finalizers ?? []).entries()) {
    if (resource.origin === "custom" || isWellNamed(name)) continue;
    const detail = "name is neither a standard finalizer name nor is it fully qualified";
    faults.push(bad(`metadata.finalizers[${index}]`, name, detail));
  }
  if (finalizers?.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    faults.push(bad("metadata.finalizers", finalizers, "finalizer orphan and foregroundDeletion cannot be both set"));
  }
  return faults;
}

function faultsOfManagedFields(entries: readonly ManagedFields[] | undefined): FieldError[] {
  const faults: FieldError[] = [];
  for (const [index, entry] of (entries ?? []).entries()) {
    const field = `metadata.managedFields[${index}]`;
    if (entry.operation !== "Apply" && entry.operation !== "Update") {
      faults.push(bad(`${field}.operation`, entry.operation, "must be `Apply` or `Update`"));
    }
    if (entry.fieldsType !== undefined && entry.fieldsType !== "FieldsV1") {
      faults.push(bad(`${field}.fieldsType`, entry.fieldsType, "must be `FieldsV1`"));
    }
  }
  return faults;
}

/** What may not change from one state to the next. */
export function faultsOfMetadataChange(meta: ObjectMeta, old: ObjectMeta): FieldError[] {
  const faults: FieldError[] = [];
  if (old.deletionTimestamp !== undefined) {
    const added = (meta.finalizers ?? []).filter((name) => !old.finalizers?.includes(name)).sort();
    if (added.length > 0) {
      const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((name) => JSON.stringify(name)).join(", ")}}`;
      faults.push({ reason: "FieldValueForbidden", field: "metadata.finalizers", detail });
    }
  }
  for (const field of ["name", "namespace", "uid", "deletionTimestamp", "deletionGracePeriodSeconds"] as const) {
    if (!deepEqual(meta[field], old[field])) faults.push(bad(`metadata.${field}`, meta[field], "field is immutable"));
  }
  return faults;
}
