import { type AnyObject, type Kind, redact, redacted } from "@trivium/kube";
import { deepEqual, isObject, type Json, type JsonObject } from "@trivium/std";

/** What applying would do to one object. */
export interface PlannedChange {
  readonly action: "create" | "change" | "delete";
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
  /** Pods that are replaced because their template changes. */
  readonly restarts?: number | undefined;
  /** Fields that differ, by path. */
  readonly fields: readonly ChangedField[];
}

export interface ChangedField {
  readonly path: string;
  readonly from?: Json | undefined;
  readonly to?: Json | undefined;
}

export interface PlannedObject {
  readonly kind: Kind;
  readonly object: AnyObject;
}

/**
 * What differs between two states of an API, in the order in which it would be noticed: what is new, what changes, what is deleted. Values
 * of fields are without credentials, and a credential that changes is still a difference.
 */
export function compareStates(before: readonly PlannedObject[], after: readonly PlannedObject[]): PlannedChange[] {
  if (areEqualStates(before, after)) return [];
  const [old, next] = [byId(before), byId(after)];
  const [oldShown, nextShown] = shownContents(before, after);
  const created = after.filter((one) => !old.has(idOf(one))).map((one) => changeOf("create", one, []));
  const changed = after.flatMap((one) => {
    const was = old.get(idOf(one));
    if (was === undefined) return [];
    const shown = { from: oldShown.get(was), to: nextShown.get(one) };
    const fields = differences({ from: contentOf(was.object), to: contentOf(one.object) }, shown);
    if (fields.length === 0) return [];
    return [{ ...changeOf("change", one, fields), restarts: restartsOf(was.object, fields) }];
  });
  const deleted = before.filter((one) => !next.has(idOf(one))).map((one) => changeOf("delete", one, []));
  return [...created, ...changed, ...deleted];
}

/** Whether nothing differs: much cheaper than to compare, since no value is shown. */
export function areEqualStates(before: readonly PlannedObject[], after: readonly PlannedObject[]): boolean {
  const old = byId(before);
  return before.length === after.length && after.every((one) => isUnchanged(old.get(idOf(one)), one));
}

function isUnchanged(was: PlannedObject | undefined, { object }: PlannedObject): boolean {
  if (was === undefined) return false;
  const { resourceVersion } = object.metadata;
  if (resourceVersion !== undefined && resourceVersion === was.object.metadata.resourceVersion) return true;
  return differences({ from: contentOf(was.object), to: contentOf(object) }, {}).length === 0;
}

type Contents = ReadonlyMap<PlannedObject, JsonObject>;

/** All objects at once: a credential of one can be repeated in another. */
function shownContents(before: readonly PlannedObject[], after: readonly PlannedObject[]): [Contents, Contents] {
  const shown = redact([before, after].map((all) => all.map(({ object }) => contentOf(object))));
  const of = (all: readonly PlannedObject[], contents: readonly JsonObject[] = []): Contents =>
    new Map(all.map((one, at) => [one, contents[at] ?? {}]));
  return [of(before, shown[0]), of(after, shown[1])];
}

const byId = (objects: readonly PlannedObject[]) => new Map(objects.map((one) => [idOf(one), one]));
/** What tells an object from others, in both states. */
export const idOf = ({ kind, object: { metadata } }: PlannedObject): string =>
  `${kind.plural}.${kind.group} ${metadata.namespace ?? ""}/${metadata.name}`;

function changeOf(
  action: PlannedChange["action"],
  { kind, object: { metadata } }: PlannedObject,
  fields: readonly ChangedField[],
): PlannedChange {
  return { action, kind: kind.kind, namespace: metadata.namespace, name: metadata.name ?? "", fields };
}

/** Without status and the bookkeeping of the server. */
function contentOf({ status: _, metadata, ...content }: AnyObject): JsonObject {
  const { labels = {}, annotations = {}, finalizers = [], deletionTimestamp } = metadata;
  const { "kubectl.kubernetes.io/last-applied-configuration": __, ...notes } = annotations;
  const leaving = deletionTimestamp === undefined ? {} : { deletionTimestamp };
  return { ...content, metadata: { labels, annotations: notes, finalizers, ...leaving } } as unknown as JsonObject;
}

/** A template of pods that changes replaces those that run. */
function restartsOf(before: AnyObject, fields: readonly ChangedField[]): number | undefined {
  const { spec, status } = before as { spec?: { replicas?: number }; status?: { replicas?: number } };
  const hasTemplate = fields.some(({ path }) => /^spec\.(?:template|leaderWorkerTemplate|predictor)\b/.test(path));
  return hasTemplate ? (status?.replicas ?? spec?.replicas ?? 1) : undefined;
}

/** Two values of a field; and the same two as they are shown, which have the same form. */
interface Values {
  readonly from?: Json | undefined;
  readonly to?: Json | undefined;
}

function differences({ from, to }: Values, shown: Values, path = ""): ChangedField[] {
  // Saved facts have no credentials: whether one changes is not known.
  if (from === to || from === redacted || deepEqual(from, to)) return [];
  const inside = (key: string): string =>
    /[./]/.test(key) ? `${path}["${key}"]` : path === "" ? key : `${path}.${key}`;
  if (isObject(from) && isObject(to)) {
    const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    const at = ({ from: old, to: next }: Values, key: string) => ({ from: inner(old, key), to: inner(next, key) });
    return keys.flatMap((key) => differences(at({ from, to }, key), at(shown, key), inside(key)));
  }
  if (Array.isArray(from) && Array.isArray(to)) return differencesOfLists({ from, to }, shown, path);
  const value = (raw: Json | undefined, masked: Json | undefined): Json | undefined =>
    typeof raw === "string" && raw !== masked && !isMasked(masked) ? redacted : masked;
  return [
    {
      path,
      ...(from === undefined ? {} : { from: value(from, shown.from) }),
      ...(to === undefined ? {} : { to: value(to, shown.to) }),
    },
  ];
}

const inner = (value: Json | undefined, key: string): Json | undefined => (isObject(value) ? value[key] : undefined);

/** Part of a text that is otherwise unchanged. */
const isMasked = (shown: Json | undefined): boolean => typeof shown === "string" && shown.includes(redacted);

/** Items that have names are compared by them, others by their place. */
function differencesOfLists({ from, to }: Values, shown: Values, path: string): ChangedField[] {
  const keyOf = (item: Json, at: number): string =>
    isObject(item) && typeof item.name === "string" ? item.name : String(at);
  const byKey = (items: Json | undefined): Map<string, Json> =>
    new Map(((items ?? []) as Json[]).map((item, at) => [keyOf(item, at), item]));
  const [old, next, oldShown, nextShown] = [from, to, shown.from, shown.to].map(byKey) as [Items, Items, Items, Items];
  const keys = [...new Set([...old.keys(), ...next.keys()])];
  return keys.flatMap((key) =>
    differences(
      { from: old.get(key), to: next.get(key) },
      { from: oldShown.get(key), to: nextShown.get(key) },
      `${path}[${key}]`,
    ),
  );
}

type Items = Map<string, Json>;
