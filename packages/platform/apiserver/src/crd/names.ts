import type { Condition } from "@trivium/kube";
import { findCondition, mergeConditions } from "@trivium/kube";
import type { Instant } from "@trivium/std";
import { type Definition, type DefinitionNames, storageVersionOf } from "./definition.ts";

/** Names that other CRDs of the same group hold. */
export interface TakenNames {
  readonly names: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

export function namesTakenBy(others: readonly (DefinitionNames | undefined)[]): TakenNames {
  const names = new Set<string>();
  const kinds = new Set<string>();
  for (const held of others) {
    for (const name of [held?.plural, held?.singular, ...(held?.shortNames ?? [])]) if (name) names.add(name);
    for (const kind of [held?.kind, held?.listKind]) if (kind) kinds.add(kind);
  }
  return { names, kinds };
}

interface Conflict {
  readonly reason: string;
  readonly message: string;
}

/** The status of a CRD: which of the names it asks for it gets, and whether it is served. */
export function definitionStatus(crd: Definition, taken: TakenNames, now: Instant): NonNullable<Definition["status"]> {
  const { accepted, conflict } = acceptNames(crd, taken);
  const old = (crd.status?.conditions ?? []) as Condition[];
  const wasEstablished = findCondition(old, "Established")?.status === "True";
  const namesAccepted =
    conflict === undefined
      ? { type: "NamesAccepted", status: "True" as const, reason: "NoConflicts", message: "no conflicts found" }
      : { type: "NamesAccepted", status: "False" as const, ...conflict };
  const established =
    conflict === undefined || wasEstablished
      ? {
          type: "Established",
          status: "True" as const,
          reason: "InitialNamesAccepted",
          message: "the initial names have been accepted",
        }
      : { type: "Established", status: "False" as const, reason: "NotAccepted", message: "not all names are accepted" };
  const others = old.filter(({ type }) => type !== "NamesAccepted" && type !== "Established");
  const storage = storageVersionOf(crd);
  const stored = crd.status?.storedVersions ?? [];
  return {
    conditions: mergeConditions(old, [namesAccepted, established, ...others], now),
    acceptedNames: accepted,
    storedVersions: storage === "" || stored.includes(storage) ? stored : [...stored, storage],
  };
}

function acceptNames(
  crd: Definition,
  taken: TakenNames,
): { accepted: DefinitionNames; conflict: Conflict | undefined } {
  const { names } = crd.spec;
  const accepted: DefinitionNames = { plural: "", kind: "", ...crd.status?.acceptedNames };
  let conflict: Conflict | undefined;
  const take = (reason: string, wanted: readonly string[], held: ReadonlySet<string>, accept: () => void): void => {
    const clash = wanted.find((name) => held.has(name));
    if (clash === undefined) accept();
    else conflict = { reason, message: `${JSON.stringify(clash)} is already in use` };
  };
  const one = (name: string | undefined): string[] => (name ? [name] : []);
  take("PluralConflict", one(names.plural), taken.names, () => Object.assign(accepted, { plural: names.plural }));
  take("SingularConflict", one(names.singular), taken.names, () =>
    Object.assign(accepted, { singular: names.singular }),
  );
  take("ShortNamesConflict", names.shortNames ?? [], taken.names, () =>
    setList(accepted, "shortNames", names.shortNames),
  );
  take("KindConflict", one(names.kind), taken.kinds, () => Object.assign(accepted, { kind: names.kind }));
  take("ListKindConflict", one(names.listKind), taken.kinds, () =>
    Object.assign(accepted, { listKind: names.listKind }),
  );
  setList(accepted, "categories", names.categories);
  return { accepted, conflict };
}

function setList(names: DefinitionNames, part: "shortNames" | "categories", value: string[] | undefined): void {
  if (value === undefined || value.length === 0) delete names[part];
  else names[part] = value;
}

export const isEstablished = (crd: Definition): boolean =>
  findCondition((crd.status?.conditions ?? []) as Condition[], "Established")?.status === "True";
