import type { SiblingGroup } from "@trivium/domain";
import { type AnyObject, controllerOf, lastAppliedAnnotation } from "@trivium/kube";
import { isObject, type Json, type JsonObject } from "@trivium/std";
import type { Converted, LedgerEntry } from "./convert-service.ts";

/** Metadata that a person writes; the rest belongs to the object in its cluster. */
const ownMetadata = ["name", "namespace", "labels", "annotations"] as const;

/**
 * Objects of one group of an API in another group of it, each on its own. What another object has created is left out: it is created
 * again, with the same name.
 */
export function translateObjects(objects: readonly AnyObject[], group: string, sibling: SiblingGroup): Converted {
  // What a service refers to comes before it: a service that finds no model creates one of the same name.
  const isService = ({ kind }: AnyObject): boolean => kind === sibling.service;
  const inOrder = objects.toSorted((a, b) => Number(isService(a)) - Number(isService(b)));
  const results = inOrder.map((object): Translated => {
    if (!object.apiVersion.startsWith(`${group}/`)) return { objects: [object], ledger: [] };
    const owner = controllerOf(object);
    return owner === undefined ? translateOne(object, sibling) : leaveOut(object, `${owner.kind} ${owner.name}`);
  });
  return {
    is: "converted",
    objects: results.flatMap((one) => one.objects),
    ledger: results.flatMap((one) => one.ledger),
  };
}

interface Translated {
  readonly objects: readonly AnyObject[];
  readonly ledger: readonly LedgerEntry[];
}

const leaveOut = (object: AnyObject, owner: string): Translated => ({
  objects: [],
  ledger: [{ outcome: "none", ...placeOf(object), note: `not copied; ${owner} creates it again` }],
});

function translateOne(live: AnyObject, { translate }: SiblingGroup): Translated {
  const before = writtenPartOf(live);
  const { object: after, notes } = translate(before);
  const written = fieldsOf(after);
  const had = fieldsOf(before);
  const ledger = [...had.keys()].map((field): LedgerEntry => {
    const entry = { ...placeOf(before), field };
    const [note, isThere] = [notes[field], written.has(field)];
    const at = `${after.kind} ${isThere ? field : field.split(".")[0]}`;
    if (note === undefined) return { outcome: "carried", ...entry, at };
    return isThere ? { outcome: "approximated", ...entry, at, note } : { outcome: "none", ...entry, note };
  });
  // A field that was not written, and that the other group has to state.
  const added = Object.entries(notes)
    .filter(([field]) => written.has(field) && !had.has(field))
    .map(([field, note]): LedgerEntry => {
      return { outcome: "approximated", ...placeOf(before), field, at: `${after.kind} ${field}`, note };
    });
  return { objects: [after], ledger: [...ledger, ...added] };
}

function writtenPartOf({ apiVersion, kind, metadata, spec }: AnyObject): AnyObject {
  const { [lastAppliedAnnotation]: _, ...annotations } = metadata.annotations ?? {};
  const own = Object.fromEntries(
    ownMetadata.flatMap((field) => (metadata[field] === undefined ? [] : [[field, metadata[field]]])),
  );
  if (Object.keys(annotations).length > 0) own.annotations = annotations;
  else delete own.annotations;
  return { apiVersion, kind, metadata: own, ...(spec === undefined ? {} : { spec }) } as AnyObject;
}

/** The fields of the spec, labels and annotations: the depth at which the groups of an API differ. */
function fieldsOf({ metadata, spec }: AnyObject): ReadonlyMap<string, Json> {
  const below = (path: string, part: unknown): [string, Json][] =>
    isObject(part) ? Object.entries(part as JsonObject).map(([name, value]) => [`${path}.${name}`, value]) : [];
  const whole = (path: string, part: unknown): [string, Json][] => (isObject(part) ? [[path, part as JsonObject]] : []);
  return new Map([
    ...whole("metadata.labels", metadata.labels),
    ...whole("metadata.annotations", metadata.annotations),
    ...below("spec", spec),
  ]);
}

const placeOf = ({
  kind,
  metadata: { name = "", namespace },
}: AnyObject): Pick<LedgerEntry, "object" | "namespace"> => ({
  object: `${kind} ${name}`,
  ...(namespace === undefined ? {} : { namespace }),
});
