import type { api } from "@trivium/kube";
import { type FieldError, forbidden, notSupported, required } from "@trivium/schema";
import { compareQuantity, parseQuantity, type Quantity } from "@trivium/std";
import { checkSelector } from "../../checks/labels.ts";
import { dnsSubdomain, oneOf, requiredText } from "../../checks/values.ts";

export const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
export const volumeModes = ["Block", "Filesystem"];

/** Faults of what a claim asks for; also for claims inside pods and stateful sets. */
export function checkClaimSpec(at: string, spec: api.PersistentVolumeClaimSpec): FieldError[] {
  const storage = spec.resources?.requests?.storage;
  return [
    ...((spec.accessModes ?? []).length === 0
      ? [required(`${at}.accessModes`, "at least 1 access mode is required")]
      : []),
    ...checkSelector(`${at}.selector`, spec.selector),
    ...checkAccessModes(`${at}.accessModes`, spec.accessModes ?? []),
    ...(storage === undefined
      ? [required(`${at}.resources[storage]`)]
      : checkPositive(`${at}.resources[storage]`, storage)),
    ...(spec.storageClassName ? dnsSubdomain(`${at}.storageClassName`, spec.storageClassName) : []),
    ...oneOf(`${at}.volumeMode`, spec.volumeMode, volumeModes),
    ...(["dataSource", "dataSourceRef"] as const).flatMap((field) => checkSource(`${at}.${field}`, spec[field])),
  ];
}

function checkSource(at: string, source: api.TypedObjectReference | undefined): FieldError[] {
  if (source === undefined) return [];
  return [...requiredText(`${at}.name`, source.name), ...requiredText(`${at}.kind`, source.kind)];
}

export function checkAccessModes(at: string, modes: readonly string[]): FieldError[] {
  const faults = modes.flatMap((mode) => (accessModes.includes(mode) ? [] : [notSupported(at, mode, accessModes)]));
  const isMixed = modes.includes("ReadWriteOncePod") && modes.length > 1;
  return isMixed ? [...faults, forbidden(at, "may not use ReadWriteOncePod with other access modes")] : faults;
}

const zero = parseQuantity(0) as Quantity;

export function checkPositive(at: string, amount: number | string): FieldError[] {
  const quantity = parseQuantity(amount);
  if (quantity === undefined || compareQuantity(quantity, zero) > 0) return [];
  return [{ reason: "FieldValueInvalid", field: at, value: String(amount), detail: "must be greater than zero" }];
}
