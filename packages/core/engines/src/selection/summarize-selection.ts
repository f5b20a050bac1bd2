import type { Choice, ChoiceCandidate } from "@trivium/domain";
import type { FailedGate, Judged, Selection, SelectionRules } from "./rules.ts";

/** More changes than this are another candidate, not a correction of this one. */
const maxChanges = 2;

/** The choice as data: every candidate with its failed gates, the rank on which it lost, and what would make it pass. */
export function summarizeSelection<C>(selection: Selection<C>, rules: SelectionRules<C>): Choice {
  const chosen = selection.is === "chosen" ? selection.best : undefined;
  return {
    of: rules.of,
    ...(chosen === undefined ? {} : { chosen: shownName(chosen, rules) }),
    because: becauseOf(selection, rules),
    candidates: selection.judged.map((one) => candidateOf(one, chosen?.name === one.name, rules)),
  };
}

/** A choice that the user made: no other candidate was considered. */
export const namedChoice = (of: string, name: string, field: string): Choice => ({
  of,
  chosen: name,
  because: `set in ${field}`,
  candidates: [{ name, is: "chosen", failed: [] }],
});

function candidateOf<C>(one: Judged<C>, isChosen: boolean, rules: SelectionRules<C>): ChoiceCandidate {
  const { failures, lost } = one;
  const shown = rules.show?.(one.candidate) ?? { name: one.name };
  const scope = shown.scope === undefined ? {} : { scope: shown.scope };
  if (isChosen) return { name: shown.name, ...scope, is: "chosen", failed: [] };
  if (failures.length === 0)
    return { name: shown.name, ...scope, is: "outranked", failed: [], ...(lost === undefined ? {} : { lost }) };
  const change = changeFor(one, rules);
  return {
    name: shown.name,
    ...scope,
    is: "rejected",
    failed: failures,
    ...(change === undefined ? {} : { change }),
  };
}

/** The instructions that together make it pass every gate; nothing where a gate has none. */
function changeFor<C>({ candidate, failures }: Judged<C>, { gates }: SelectionRules<C>): string | undefined {
  if (failures.length > maxChanges) return undefined;
  const changes: string[] = [];
  for (const failure of failures) {
    const change = instructionFor(candidate, failure, gates);
    if (change === undefined) return undefined;
    if (!changes.includes(change)) changes.push(change);
  }
  return changes.join(", and ");
}

const instructionFor = <C>(candidate: C, failure: FailedGate, gates: SelectionRules<C>["gates"]): string | undefined =>
  gates.find(({ name }) => name === failure.gate)?.change?.(candidate, failure);

const shownName = <C>({ candidate, name }: Judged<C>, rules: SelectionRules<C>): string =>
  rules.show?.(candidate).name ?? name;

function becauseOf<C>(selection: Selection<C>, rules: SelectionRules<C>): string {
  const { judged } = selection;
  const compatible = judged.filter(({ failures }) => failures.length === 0);
  switch (selection.is) {
    case "none":
      return judged.length === 0 ? "none exists" : `none of ${judged.length} is compatible`;
    case "tied":
      return `equally suitable: ${selection.best.map((one) => shownName(one, rules)).join(", ")}`;
    case "chosen":
      if (selection.better !== undefined)
        return `already in use; a new service would use ${shownName(selection.better, rules)}`;
      if (judged.length === 1) return "the only one available";
      return compatible.length === 1
        ? `the only compatible of ${judged.length}`
        : `the best of ${compatible.length} compatible`;
  }
}
