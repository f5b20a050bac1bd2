import type { ServingDialect } from "@trivium/domain";
import { controllerOf } from "@trivium/kube";
import { parseRendered, renderedAnnotation } from "@trivium/reconcile";
import { FieldRecord, isKeptWhole, isUsedAsItIs } from "@trivium/runtime";
import { compareStates, type PlannedChange, type PlannedObject } from "../plan/difference.ts";
import type { AdoptionStates } from "./simulate.ts";

/** What happens to one object that an upstream operator has made or served. */
export interface AdoptionRow {
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
  /** The field manager that made it, or wrote its status. */
  readonly manager: string;
  readonly outcome: AdoptionOutcome;
  /** Why it is left, or what about it changes. */
  readonly why?: string | undefined;
  readonly fields: readonly string[];
  readonly restarts?: number | undefined;
}

/** In the order of what a person wants to read first. */
export const adoptionOutcomes = [
  "blocking",
  "restarted",
  "deleted",
  "created",
  "changed",
  "kept",
  "taken",
  "left",
] as const;
export type AdoptionOutcome = (typeof adoptionOutcomes)[number];

export function adoptionOf({ before, after }: AdoptionStates, dialects: readonly ServingDialect[]): AdoptionRow[] {
  const record = recordOf(dialects);
  for (const { object } of [...before, ...after]) record.take(object);
  const isOurs = ({ object }: PlannedObject): boolean =>
    ownManagers(dialects).some((name) => record.fieldsOf(object, name) ?? record.fieldsOf(object, name, "status"));
  const next = new Map(after.map((one) => [keyOf(one), one]));
  const changes = new Map(compareStates(before, after).map((change) => [keyOfChange(change), change]));
  const served = before.filter((one) => isService(one, dialects) && record.reporterOf(one.object) !== undefined);
  const owners = new Set(served.map(({ object }) => object.metadata.uid));
  const isOfServed = ({ object }: PlannedObject): boolean => owners.has(controllerOf(object)?.uid);
  const made = before.filter((one) => record.makerOf(one.object) !== undefined && isOfServed(one));
  // A cache that a service has got is both.
  const rows = [...new Set([...served, ...made])].map((one) => {
    const manager = record.makerOf(one.object) ?? record.reporterOf(one.object) ?? "";
    const change = changes.get(keyOf(one));
    return { ...headOf(one), manager, ...outcomeOf(one, next.get(keyOf(one)), { change, isOurs }) };
  });
  const created = after.filter((one) => changes.get(keyOf(one))?.action === "create" && isOfServed(one));
  const news = created.map((one) => ({ ...headOf(one), manager: "", outcome: "created" as const, fields: [] }));
  return [...rows, ...news].sort((a, b) => rank(a) - rank(b));
}

const rank = ({ outcome }: AdoptionRow): number => adoptionOutcomes.indexOf(outcome);

interface Judged {
  readonly change: PlannedChange | undefined;
  isOurs(object: PlannedObject): boolean;
}

function outcomeOf(
  { kind, object }: PlannedObject,
  next: PlannedObject | undefined,
  { change, isOurs }: Judged,
): Pick<AdoptionRow, "outcome" | "why" | "fields" | "restarts"> {
  if (next === undefined) return { outcome: "deleted", why: "not part of what Trivium creates", fields: [] };
  const fields = (change?.fields ?? []).map(({ path }) => path).filter((path) => !path.includes("trivium.dev/"));
  const text = next.object.metadata.annotations?.[renderedAnnotation];
  const isKept = text !== undefined && parseRendered(text)?.isKept === true;
  const isUntouched = isKeptWhole(kind) && change === undefined && !isOurs(next);
  if (isKept || isUntouched) return { outcome: "kept", why: "its pods stay until the service changes", fields };
  if (change?.restarts !== undefined) return { outcome: "restarted", fields, restarts: change.restarts };
  if (fields.length > 0) return { outcome: "changed", fields };
  if (isOurs(next)) return { outcome: "taken", fields };
  const why = isUsedAsItIs(kind) ? "used unchanged" : "not part of what Trivium creates; deleted with its owner";
  return { outcome: "left", why: controllerOf(object) === undefined ? "nothing to change" : why, fields };
}

const ownManagers = (dialects: readonly ServingDialect[]): string[] =>
  dialects.flatMap(({ reconcilers }) => reconcilers.flatMap(({ name, formerNames = [] }) => [name, ...formerNames]));

/** Tells the makers of objects apart as the operator does. */
const recordOf = (dialects: readonly ServingDialect[]): FieldRecord =>
  new FieldRecord(
    ownManagers(dialects),
    dialects.flatMap(({ upstream }) => upstream?.managers ?? []),
  );

function isService({ kind }: PlannedObject, dialects: readonly ServingDialect[]): boolean {
  return dialects.some(({ reconcilers }) => reconcilers.some((one) => one.kind === kind));
}

const headOf = ({ kind, object: { metadata } }: PlannedObject) => ({
  kind: kind.kind,
  namespace: metadata.namespace,
  name: metadata.name ?? "",
});

const keyOf = ({ kind, object: { metadata } }: PlannedObject): string =>
  `${kind.kind} ${metadata.namespace ?? ""}/${metadata.name}`;
const keyOfChange = ({ kind, namespace = "", name }: PlannedChange): string => `${kind} ${namespace}/${name}`;
