import type { FailedGate, Judged, Outranked, Rank, Selection, SelectionRules } from "./rules.ts";

/** Judges every candidate by every gate and every rank, and names the best, if there is one. Does not depend on the order of candidates. */
export function select<C>(candidates: readonly C[], rules: SelectionRules<C>): Selection<C> {
  const places = rules.ranks.map(placesOf);
  const all = candidates.map((candidate) => judge(candidate, rules, places));
  all.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const passing = all.filter(({ failures }) => failures.length === 0);
  const best = bestOf(passing);
  const [first] = best;
  if (first === undefined) return { is: "none", judged: all };
  const judged = all.map((one) =>
    one.failures.length > 0 || best.includes(one) ? one : { ...one, lost: lossOf(one, first, rules.ranks) },
  );
  return best.length > 1 ? { is: "tied", best, judged } : { is: "chosen", best: first, judged };
}

type Places = ReadonlyMap<string, number>;
const placesOf = <C>({ order }: Rank<C>): Places => new Map(order.map((value, at) => [value, at]));

function judge<C>(candidate: C, rules: SelectionRules<C>, places: readonly Places[]): Judged<C> {
  const failures: FailedGate[] = [];
  for (const gate of rules.gates) {
    const mismatch = gate.check(candidate);
    if (mismatch !== undefined) failures.push({ gate: gate.name, ...mismatch });
  }
  const standing = rules.ranks.map((rank, at) => placeIn(rank, places[at], candidate));
  return { candidate, name: rules.nameOf(candidate), failures, standing };
}

function placeIn<C>({ order, read }: Rank<C>, places: Places | undefined, candidate: C): number {
  return places?.get((read(candidate) ?? "").toLowerCase()) ?? order.length;
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
  const at = a.standing.findIndex((place, i) => place !== b.standing[i]);
  return at === -1 ? 0 : (a.standing[at] ?? 0) - (b.standing[at] ?? 0);
}

function lossOf<C>(loser: Judged<C>, best: Judged<C>, ranks: readonly Rank<C>[]): Outranked {
  const at = loser.standing.findIndex((place, i) => place !== best.standing[i]);
  const rank = ranks[at];
  const shown = (one: Judged<C>): string => rank?.read(one.candidate) || "none";
  return { rank: rank?.name ?? "", observed: shown(loser), best: shown(best) };
}
