import type { AdmissionRequest } from "@trivium/reconcile";
import { type FieldError, forbidden, invalid } from "@trivium/schema";
import { showUri } from "@trivium/std";
import type { OmeOptions } from "../options.ts";
import { placeOf, type Stored } from "../storage/place.ts";
import { parseStorageUri } from "../storage/uri.ts";
import { listed } from "./users.ts";

/** An address that cannot be read, a path that leads elsewhere, or a claim that cannot be meant. */
export function faultsOfStorage(object: Stored, options: OmeOptions): FieldError[] {
  const place = placeOf(object, options);
  if (place.is !== "faulty") return [];
  const { storageUri, path } = object.spec.storage;
  const { field, detail } = place;
  return [invalid(`spec.storage.${field}`, field === "path" ? (path ?? "") : showUri(storageUri), detail)];
}

/** From where files come in which way cannot change under those who serve them; another address of the same kind can. */
export function faultsOfMove<O extends Stored>(
  { object, old }: AdmissionRequest<O>,
  users: readonly string[],
): FieldError[] {
  if (old === undefined || users.length === 0) return [];
  const [before, after] = [old, object].map(({ spec }) => parseStorageUri(spec.storage.storageUri).scheme);
  if (before === after || before === "invalid" || after === "invalid") return [];
  const detail = `cannot change from ${before}:// to ${after}:// while in use by ${listed(users)}; create another object`;
  return [forbidden("spec.storage.storageUri", detail)];
}

/** Whether users matter at all: they are looked for only then. */
export function isMoved<O extends Stored>({ object, old }: AdmissionRequest<O>): boolean {
  return old !== undefined && old.spec.storage.storageUri !== object.spec.storage.storageUri;
}
