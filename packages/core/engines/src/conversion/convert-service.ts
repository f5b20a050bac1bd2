import type { ReadField, ServingDialect, WrittenFields } from "@trivium/domain";
import { type AnyObject, admitObject, apiVersionOf, lastAppliedAnnotation } from "@trivium/kube";
import { formatFieldError } from "@trivium/schema";
import type { JsonObject } from "@trivium/std";
import { mayHoldCredential } from "./credentials.ts";
import { isDefaultValue } from "./default-value.ts";
import {
  formatKept,
  type KeptField,
  keptAnnotation,
  type ParsedKept,
  parseKept,
  type Restored,
  restoreKept,
} from "./kept-fields.ts";
import { isSameObject, objectsInReach } from "./object-scope.ts";
import { translateObjects } from "./translate-objects.ts";

/** What became of one field, or of one object, of the service that was converted. */
export interface LedgerEntry {
  readonly outcome: "carried" | "approximated" | "restored" | "kept" | "none";
  /** `Model tiny`. */
  readonly object: string;
  /** Absent where the object states none. */
  readonly namespace?: string;
  /** `spec.source`; absent for a whole object. */
  readonly field?: string;
  /** Where it is now: `AIMService spec.replicas`. */
  readonly at?: string;
  /** What differs, or why it is left out. */
  readonly note?: string;
}

export type Converted =
  | { readonly is: "converted"; readonly objects: readonly AnyObject[]; readonly ledger: readonly LedgerEntry[] }
  | { readonly is: "impossible"; readonly why: string; readonly faults?: readonly ObjectFault[] };

/** Why an object is not valid. */
export interface ObjectFault {
  readonly object: AnyObject;
  readonly why: string;
}

interface Route {
  readonly from: ServingDialect;
  readonly to: ServingDialect;
}

const impossible = (why: string): Converted => ({ is: "impossible", why });

/** The services among some objects, and what they need, in the API of another dialect; with an account of every field. */
export function convertServices(objects: readonly AnyObject[], route: Route): Converted {
  const { from } = route;
  const faults = objects.filter((one) => isOfGroup(one, from)).flatMap((object) => faultsIn(object, from));
  const [fault] = faults;
  if (fault !== undefined) return { is: "impossible", why: fault.why, faults };
  if (route.to.sibling?.group === from.group) return translateObjects(objects, from.group, route.to.sibling);
  const services = objects.filter((object) => isOf(object, from.serviceKind));
  if (services.length === 0) return impossible(`no ${from.serviceKind.kind} of ${from.group} found`);
  const written: AnyObject[] = [];
  const ledger: LedgerEntry[] = [];
  const used = new Set<AnyObject>(services);
  for (const service of services) {
    const others = objectsInReach(service, objects, from).filter((object) => !isOf(object, from.serviceKind));
    const one = convertOne(service, others, route);
    if (one.is === "impossible") return one;
    for (const object of one.objects) if (!written.some((other) => isSameObject(other, object))) written.push(object);
    for (const entry of one.ledger) {
      const object = [service, ...others].find((other) => nameOf(other) === entry.object);
      if (object !== undefined) used.add(object);
      ledger.push({ ...entry, ...namespaceIn(object) });
    }
  }
  const others = objects.filter((object) => !used.has(object));
  const foreign = others.filter((object) => !isOfGroup(object, from));
  return {
    is: "converted",
    objects: [...foreign, ...written],
    ledger: [...ledger, ...[...used].flatMap(leaveMetadata), ...others.flatMap((object) => leaveOut(object, route))],
  };
}

/** Metadata that ties an object to others in its cluster, or names it there. */
function leaveMetadata(object: AnyObject): LedgerEntry[] {
  const fields = (["generateName", "finalizers", "ownerReferences"] as const).filter(
    (field) => object.metadata[field] !== undefined,
  );
  const note = "not copied, because it belongs to the object in the cluster";
  return fields.map((field) => ({
    outcome: "none",
    object: nameOf(object),
    ...namespaceIn(object),
    field: `metadata.${field}`,
    note,
  }));
}

function leaveOut(object: AnyObject, { from, to }: Route): LedgerEntry[] {
  if (!isOfGroup(object, from)) return [];
  const note = `no service here uses it in a way that ${to.name} has`;
  return [{ outcome: "none", object: nameOf(object), ...namespaceIn(object), note }];
}

function convertOne(service: AnyObject, others: readonly AnyObject[], { from, to }: Route): Converted {
  const read = from.readService(service, others);
  if (read.is === "impossible") return impossible(`${whereIs(service)}${read.why}`);
  const before = keptAnnotation(to.name);
  const { [before]: earlier, [lastAppliedAnnotation]: _, ...annotations } = read.service.annotations ?? {};
  const hasAnnotations = Object.keys(annotations).length > 0;
  const written = to.writeService({ ...read.service, annotations: hasAnnotations ? annotations : undefined });
  if (written.is === "impossible") return impossible(`${whereIs(service)}${nameOf(service)}: ${written.why}`);
  const { entries, kept } = account(
    read.fields.filter((field) => !isDefaultValue(from.kinds, field)),
    written.fields,
    { from, to },
  );
  const accepts = (object: AnyObject): boolean => isAccepted(object, to);
  const parsed = parseKept(earlier);
  const restored = restoreKept(written.objects, parsed.fields, { assumed: written.assumed ?? [], accepts });
  const notes = { [keptAnnotation(from.name)]: kept, [before]: restored.left };
  const ledger = [...settle(entries, kept, from), ...accountEarlier(nameOf(service), before, { restored, parsed })];
  return { is: "converted", objects: annotate(restored.objects, to, notes), ledger };
}

interface Earlier {
  readonly restored: Restored;
  readonly parsed: ParsedKept;
}

/** What became of the fields that an earlier conversion kept. Anybody can write the annotation, so each of them is named. */
function accountEarlier(object: string, annotation: string, { restored, parsed }: Earlier): LedgerEntry[] {
  const place = formatPath(["metadata", "annotations", annotation]);
  const pathIn = (path: readonly string[]): string => `${place} ${formatPath(path)}`;
  const back = restored.restored.map(
    ({ field, object: { kind } }): LedgerEntry => ({
      outcome: "restored",
      object,
      field: pathIn(field.path),
      at: `${kind} ${formatPath(field.path)}`,
    }),
  );
  const left = restored.left.map(
    ({ path }): LedgerEntry => ({ outcome: "kept", object, field: pathIn(path), at: place }),
  );
  const note = "not a field that a conversion keeps";
  return [
    ...back,
    ...left,
    ...(parsed.refused === 0 ? [] : [{ outcome: "none" as const, object, field: place, note }]),
  ];
}

function account(
  fields: readonly ReadField[],
  written: WrittenFields,
  route: Route,
): { readonly entries: readonly LedgerEntry[]; readonly kept: readonly KeptField[] } {
  const kept: KeptField[] = [];
  const entries = fields.flatMap((field): LedgerEntry[] => {
    const entry = { object: `${field.kind} ${field.name}`, field: formatPath(field.path) };
    if (field.key === "annotations") return accountAnnotations(field, entry, route);
    const place = field.key === undefined ? undefined : written[field.key];
    if (place !== undefined)
      return place.differs === undefined
        ? [{ outcome: "carried", ...entry, at: place.at }]
        : [{ outcome: "approximated", ...entry, at: place.at, note: place.differs }];
    if (mayHoldCredential(field.path, field.value))
      return [{ outcome: "none", ...entry, note: "not copied, because it can hold a credential; use a Secret" }];
    kept.push(field);
    return [{ outcome: "kept", ...entry, ...(field.why === undefined ? {} : { note: field.why }) }];
  });
  return { entries, kept };
}

/**
 * Annotations are copied; those of the API that is left mean nothing in another one until the service is converted back. What kubectl
 * keeps of the last apply is not the user's: it repeats the whole object, credentials too.
 */
function accountAnnotations({ value }: ReadField, entry: LedgerEntryBase, { from, to }: Route): LedgerEntry[] {
  // Of fields that were kept for this API each has an entry of its own.
  const left = [lastAppliedAnnotation, keptAnnotation(to.name)];
  const names = Object.keys((value ?? {}) as JsonObject).filter((name) => !left.includes(name));
  return names.map((name) => ({
    ...entry,
    field: formatPath(["metadata", "annotations", name]),
    outcome: (name.split("/")[0] ?? "").endsWith(from.group) ? "kept" : "carried",
    at: formatPath(["metadata", "annotations", name]),
  }));
}

type LedgerEntryBase = Pick<LedgerEntry, "object" | "field">;

/** Says where kept fields are, or that they are too large to be kept. */
function settle(
  entries: readonly LedgerEntry[],
  kept: readonly KeptField[],
  from: ServingDialect,
): readonly LedgerEntry[] {
  const at = formatPath(["metadata", "annotations", keptAnnotation(from.name)]);
  const fits = formatKept(kept) !== undefined;
  return entries.map((entry) => {
    if (entry.outcome !== "kept" || entry.at !== undefined) return entry;
    return fits ? { ...entry, at } : { ...entry, outcome: "none", note: "too large for an annotation" };
  });
}

function annotate(
  objects: readonly AnyObject[],
  to: ServingDialect,
  notes: Readonly<Record<string, readonly KeptField[]>>,
): readonly AnyObject[] {
  const texts = Object.entries(notes).flatMap(([name, kept]) => {
    const text = kept.length === 0 ? undefined : formatKept(kept);
    return text === undefined ? [] : [[name, text] as const];
  });
  if (texts.length === 0) return objects;
  return objects.map((object) => {
    if (!isOf(object, to.serviceKind)) return object;
    const annotations = { ...object.metadata.annotations, ...Object.fromEntries(texts) };
    return { ...object, metadata: { ...object.metadata, annotations } };
  });
}

function faultsIn(object: AnyObject, from: ServingDialect): ObjectFault[] {
  const kind = from.kinds.find((one) => isOf(object, one));
  if (kind === undefined) return [{ object, why: `${object.apiVersion} ${object.kind} is not a kind of ${from.name}` }];
  if (!object.metadata.name) return [{ object, why: `${whereIs(object)}${object.kind} has no metadata.name; add it` }];
  const { status: _, ...written } = object as unknown as JsonObject;
  const { faults, unknown } = admitObject(kind, written);
  const texts = [...faults.map(formatFieldError), ...unknown.map((field) => `unknown field "${field}"`)];
  return texts.map((text) => ({ object, why: `${whereIs(object)}${nameOf(object)} is not valid: ${text}` }));
}

function isAccepted(object: AnyObject, to: ServingDialect): boolean {
  const kind = to.kinds.find((one) => isOf(object, one));
  if (kind === undefined) return false;
  const { faults, unknown } = admitObject(kind, object as unknown as JsonObject);
  return faults.length === 0 && unknown.length === 0;
}

const isOf = (object: AnyObject, kind: ServingDialect["serviceKind"]): boolean =>
  object.kind === kind.kind && object.apiVersion === apiVersionOf(kind);

const isOfGroup = ({ apiVersion }: AnyObject, { group }: ServingDialect): boolean => apiVersion.startsWith(`${group}/`);

const nameOf = ({ kind, metadata }: AnyObject): string => `${kind} ${metadata.name ?? ""}`;

const namespaceIn = (object: AnyObject | undefined): Pick<LedgerEntry, "namespace"> =>
  object?.metadata.namespace === undefined ? {} : { namespace: object.metadata.namespace };

const whereIs = ({ metadata: { namespace } }: AnyObject): string =>
  namespace === undefined ? "" : `namespace ${namespace}: `;

/** A name with a dot is written in brackets, as in a JSONPath. */
const formatPath = (path: readonly string[]): string =>
  path.map((part, at) => (/^[\w-]+$/.test(part) ? `${at === 0 ? "" : "."}${part}` : `['${part}']`)).join("");
