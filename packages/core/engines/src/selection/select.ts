import { placeIn, valueIn } from "./ranking.ts";
import type { FailedGate, Judged, Outranked, Selection, SelectionRules } from "./rules.ts";

/** Judges every candidate by every gate and every rank, and names the best, if there is one. Does not depend on the order of candidates. */
export function select<C>(candidates: readonly C[], rules: SelectionRules<C>): Selection<C> {
  const places = rules.ranks.map(placeIn);
  const all = candidates.map((candidate) => judge(candidate, rules, places));
  all.sort(byName);
  const passing = all.filter(({ failures }) => failures.length === 0);
  const best = bestOf(passing);
  const [first] = best;
  if (first === undefined) return { is: "none", judged: all };
  const current = passing.find(({ name }) => name === rules.current);
  const isAmbiguous = current === undefined && best.length > 1 && rules.ties !== "first";
  const winners = isAmbiguous ? best : [current ?? first];
  const judged = all.map((one) => withLoss(one, winners, rules));
  if (isAmbiguous) return { is: "tied", best, judged };
  const chosen = current ?? first;
  return { is: "chosen", best: chosen, judged, ...(best.includes(chosen) ? {} : { better: first }) };
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0;

const nothing: readonly never[] = [];

function judge<C>(candidate: C, rules: SelectionRules<C>, places: readonly ((candidate: C) => number)[]): Judged<C> {
  const name = rules.nameOf(candidate);
  const failures = failuresOf(candidate, rules);
  if (failures.length > 0) return { candidate, name, failures, standing: nothing };
  return { candidate, name, failures, standing: places.map((place) => place(candidate)) };
}

/** Most candidates pass, or fail one gate of many: nothing is allocated before a gate fails. */
function failuresOf<C>(candidate: C, { gates }: SelectionRules<C>): readonly FailedGate[] {
  let failures: FailedGate[] | undefined;
  for (const gate of gates) {
    const mismatch = gate.check(candidate);
    if (mismatch === undefined) continue;
    failures ??= [];
    failures.push({ gate: gate.name, reason: mismatch.reason, actual: mismatch.actual, required: mismatch.required });
  }
  return failures ?? nothing;
}

function bestOf<C>(passing: readonly Judged<C>[]): Judged<C>[] {
  let best: Judged<C>[] = [];
  for (const one of passing) {
    const order = best[0] === undefined ? -1 : compareStanding(one, best[0]);
    if (order < 0) best = [one];
    else if (order === 0) best.push(one);
  }
  return best;
}

function compareStanding<C>(a: Judged<C>, b: Judged<C>): number {
  for (let at = 0; at < a.standing.length; at += 1) {
    const [left = 0, right = 0] = [a.standing[at], b.standing[at]];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

function withLoss<C>(one: Judged<C>, winners: readonly Judged<C>[], rules: SelectionRules<C>): Judged<C> {
  const [best] = winners;
  if (one.failures.length > 0 || best === undefined || winners.includes(one)) return one;
  const { candidate, name, failures, standing } = one;
  return { candidate, name, failures, standing, lost: lossOf(one, best, rules) };
}

/** What is as good or better and lost anyway lost to the one in use, or to a name: the same one before and after it is in use. */
function lossOf<C>(loser: Judged<C>, best: Judged<C>, { ranks, current, ties }: SelectionRules<C>): Outranked {
  const at = loser.standing.findIndex((place, i) => place !== best.standing[i]);
  const rank = ranks[at];
  const order = compareStanding(loser, best);
  const wouldWin = order < 0 || (order === 0 && (ties !== "first" || loser.name < best.name));
  if (best.name === current && wouldWin) return { rank: "in use", actual: "not in use", best: "in use" };
  if (rank === undefined) return { rank: "name", actual: loser.name, best: best.name };
  return { rank: rank.name, actual: valueIn(rank, loser.candidate), best: valueIn(rank, best.candidate) };
}
