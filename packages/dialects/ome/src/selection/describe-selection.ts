import type { Judged, Selection } from "@trivium/engines";
import { describeRuntime } from "./candidate.ts";
import { describeMismatch } from "./match-format.ts";
import { formatRange } from "./model-size.ts";
import { describeTraits, type ModelTraits } from "./traits.ts";
import type { WeighedRuntime } from "./weigh-runtime.ts";

type JudgedRuntime = Judged<WeighedRuntime>;

/** A message names this many others; the whole list is in the choice. */
const maxOthers = 3;

/** Why this one, and what keeps the nearest of the others from being chosen. */
export function describeSelected({
  best,
  better,
  judged,
}: Extract<Selection<WeighedRuntime>, { is: "chosen" }>): string {
  const others = judged.filter((one) => one !== best);
  const compatible = judged.filter(({ failures }) => failures.length === 0).length;
  const what = `Selected ${describeRuntime(best.candidate.candidate)}`;
  const behind = others.length === 0 ? "" : `. Other runtimes: ${listOthers(others)}`;
  if (better !== undefined)
    return `${what}: already in use; a new service would use ${describeRuntime(better.candidate.candidate)}${behind}`;
  if (compatible === 1)
    return `${what}: the only ${others.length === 0 ? "runtime" : `compatible runtime of ${judged.length}`}${behind}`;
  return `${what}: the best of ${compatible} compatible runtimes (score ${best.candidate.score})${behind}`;
}

interface Subject {
  readonly model: { readonly name: string; readonly traits: ModelTraits };
  readonly namespace: string;
}

/** What no runtime supports, the nearest misses, and the least that has to change. */
export function describeNone({ model, namespace }: Subject, judged: readonly JudgedRuntime[]): string {
  const cause = `No runtime supports model ${model.name} (${describeTraits(model.traits)})`;
  const [nearest] = byNearness(judged);
  if (nearest === undefined)
    return `${cause}: namespace ${namespace} and the cluster have none; create a ServingRuntime or ClusterServingRuntime`;
  const own = judged.filter(({ candidate }) => candidate.candidate.scope === "namespace").length;
  const counts = `checked ${own} in namespace ${namespace} and ${judged.length - own} in the cluster`;
  return `${cause}: ${counts}; closest: ${listOthers(judged)}`;
}

/** Those that lack least first; of equal ones those of the namespace, which its users can change, then by name. */
const byNearness = (judged: readonly JudgedRuntime[]): JudgedRuntime[] =>
  judged
    .map((one) => ({ one, lacks: lacksOf(one) }))
    .sort((a, b) => a.lacks - b.lacks || Number(isOfCluster(a.one)) - Number(isOfCluster(b.one)))
    .map(({ one }) => one);

const isOfCluster = ({ candidate }: JudgedRuntime): boolean => candidate.candidate.scope === "cluster";

/** By gates first; a runtime of another format is further away than one of another size. */
function lacksOf({ failures, candidate }: JudgedRuntime): number {
  const isOtherFormat = failures.some(({ gate }) => gate === "format");
  return 100 * failures.length + (isOtherFormat ? 1 + (nearestEntry(candidate)?.mismatches.length ?? 9) : 0);
}

function nearestEntry({ entries }: WeighedRuntime): WeighedRuntime["entries"][number] | undefined {
  let nearest = entries[0];
  for (const entry of entries)
    if (nearest !== undefined && entry.mismatches.length < nearest.mismatches.length) nearest = entry;
  return nearest;
}

function listOthers(judged: readonly JudgedRuntime[]): string {
  const shown = byNearness(judged).slice(0, maxOthers);
  const more = judged.length > maxOthers ? ` and ${judged.length - maxOthers} more` : "";
  return shown.map((one) => `${one.candidate.candidate.name} (${describeLoss(one)})`).join(", ") + more;
}

/** Everything that keeps a runtime from being chosen, as a part of a sentence. */
export function describeLoss(one: JudgedRuntime): string {
  const { failures, candidate } = one;
  if (failures.length === 0) return `compatible, ${candidate.candidate.scope}-scoped, score ${candidate.score}`;
  return failures.map((failure) => describeFailure(failure, candidate)).join(", and ");
}

function describeFailure(failure: JudgedRuntime["failures"][number], weighed: WeighedRuntime): string {
  const { gate, reason, actual, required } = failure;
  switch (gate) {
    case "enabled":
      return "the runtime is disabled";
    case "accelerator":
      return `the runtime does not support the required accelerator class ${required} (supported: ${actual})`;
    case "protocol":
      return `the runtime does not support protocol ${required} (supported: ${actual})`;
    case "format":
      return describeFormats(weighed);
    case "size":
      return reason === "SizeOutOfRange"
        ? `model size ${required} is outside ${formatRange(weighed.candidate.spec.modelSizeRange ?? {})}`
        : `size '${actual}' is not a valid number of parameters (expected e.g. 7B or 350M)`;
    case "autoSelect":
      return "no matching entry has autoSelect: true";
    default:
      return "the score of its best entry is not greater than 0";
  }
}

/** The entry that comes nearest stands for all: what is said of the others is in the choice. */
function describeFormats(weighed: WeighedRuntime): string {
  const nearest = nearestEntry(weighed);
  if (nearest === undefined) return "the runtime has no supported formats defined";
  const others = weighed.entries.length - 1;
  const among = others === 0 ? "" : ` (the closest of ${others + 1} supported formats)`;
  return `${nearest.mismatches.map(describeMismatch).join(", ")}${among}`;
}

/** What would make one of them fit with the fewest changes, as an instruction. */
export function smallestChange(
  judged: readonly JudgedRuntime[],
  changeOf: (one: JudgedRuntime) => string | undefined,
): string | undefined {
  for (const one of byNearness(judged)) {
    const change = changeOf(one);
    if (change !== undefined) return change;
  }
  return undefined;
}
