import type { Choice, ChoiceCandidate } from "@trivium/domain";
import { explainLoss, type FailedGate, type Judged, type Selection } from "@trivium/engines";
import type { ServiceStatus } from "../names/names.ts";
import type { ObservedTemplate } from "../observed/observed-service.ts";

export type Matching = NonNullable<ServiceStatus["templateMatching"]>;
type Candidate = NonNullable<Matching["candidates"]>[number];

/** The choice as fields of this API, with a sentence for each candidate. `unmatched` are overrides for which a template is derived. */
export function describeMatching(
  { judged }: Selection<ObservedTemplate>,
  { because, candidates }: Choice,
  unmatched?: ReadonlyMap<string, readonly FailedGate[]>,
): Matching {
  return {
    because,
    candidates: judged.flatMap((one, at) => {
      const summary = candidates[at];
      return summary === undefined ? [] : [describeCandidate(one, summary, unmatched?.get(one.name) ?? [])];
    }),
  };
}

function describeCandidate(
  judged: Judged<ObservedTemplate>,
  { is, failed, lost, change }: ChoiceCandidate,
  unmatched: readonly FailedGate[],
): Candidate {
  const { name, scope } = judged.candidate;
  const lacks = explainLoss({ failures: unmatched });
  const all = [...failed, ...unmatched];
  const data = {
    ...(all.length === 0 ? {} : { failed: all.map(({ gate, ...values }) => ({ requirement: gate, ...values })) }),
    ...(lost === undefined ? {} : { outranked: { preference: lost.rank, actual: lost.actual, best: lost.best } }),
    ...(change === undefined ? {} : { change }),
  };
  if (is === "chosen") {
    const place = scope === "Cluster" ? "best match in the cluster" : "best match in this namespace";
    const derived = lacks ? `; deriving a template from it because spec.overrides differs (${lacks})` : "";
    return { name, scope, status: "chosen", reason: "BestMatch", message: `${place}${derived}`, ...data };
  }
  const reason = failed[0]?.reason ?? (lost === undefined ? "TemplateSelectionAmbiguous" : "LowerPreferenceRank");
  const loss = explainLoss(judged) ?? "equally suitable";
  return { name, scope, status: "rejected", reason, message: lacks ? `${loss}; ${lacks}` : loss, ...data };
}

/** The choice that a status keeps, as it was made: the candidates are not judged again. */
export function readMatching({ candidates = [] }: Matching, choice: Choice): Choice {
  // Without a scope it was written by an earlier version, which kept sentences only.
  if (candidates.length === 0 || candidates.some(({ scope }) => scope === undefined)) return choice;
  return { ...choice, candidates: candidates.map(readCandidate) };
}

function readCandidate({ name, scope, status, failed = [], outranked: lost, change }: Candidate): ChoiceCandidate {
  const is = status === "chosen" ? "chosen" : failed.length > 0 ? "rejected" : "outranked";
  return {
    name,
    ...(scope === undefined ? {} : { scope }),
    is,
    failed: is === "chosen" ? [] : failed.map(({ requirement, ...values }) => ({ gate: requirement, ...values })),
    ...(lost === undefined ? {} : { lost: { rank: lost.preference, actual: lost.actual, best: lost.best } }),
    ...(change === undefined ? {} : { change }),
  };
}
