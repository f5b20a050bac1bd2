import type { Rank } from "@trivium/engines";
import type { AcceleratorPolicy } from "../kinds/accelerator-fields.ts";
import type { ClassCandidate, ObservedClass } from "./candidate.ts";
import { GiB, highestPerformance, memoryBytesOf, numberOf, performanceOf } from "./capabilities.ts";
import type { ClassConstraints } from "./requirements.ts";

type ClassRank = Rank<ClassCandidate>;
type ClassSpec = ObservedClass["spec"];

/** The order among classes that pass: those that have nodes first, then as the policy says. */
export function ranksFor(
  policy: AcceleratorPolicy,
  required: ClassConstraints,
  passing: readonly ClassCandidate[],
): ClassRank[] {
  const nodes: ClassRank = {
    name: "nodes",
    order: ["available", "none"],
    read: ({ found }) => (found?.hasNodes === true ? "available" : "none"),
  };
  return [nodes, ...policyRanks(policy, required, passing)];
}

function policyRanks(
  policy: AcceleratorPolicy,
  required: ClassConstraints,
  passing: readonly ClassCandidate[],
): ClassRank[] {
  switch (policy) {
    case "BestFit":
      return [highest("fit", (spec) => fitOf(spec, required))];
    case "Cheapest":
      return [priceKind, price];
    case "MostCapable":
      return [highest("capability", capabilityAmong(passing, required))];
    case "FirstAvailable":
      return [{ name: "place in the list of the runtime", best: "lowest", value: ({ at }) => at }];
  }
}

const highest = (name: string, value: (spec: ClassSpec) => number): ClassRank => ({
  name,
  best: "highest",
  value: ({ found }) => (found === undefined ? 0 : Math.round(value(found.spec) * 1000) / 1000),
});

/** The less memory is left over the better; performance counts less, and more of it than required counts nothing. */
function fitOf(spec: ClassSpec, required: ClassConstraints): number {
  const { minMemory = 0 } = required;
  const gib = (memoryBytesOf(spec) ?? 0) / GiB;
  const memory = minMemory <= 0 ? 1 : gib <= 0 ? 0 : Math.min(1, minMemory / gib);
  return 0.7 * memory + 0.3 * performanceFit(spec, required);
}

function performanceFit(spec: ClassSpec, required: ClassConstraints): number {
  const { minComputePerformanceTFLOPS: wanted = 0, preferredPrecisions = [] } = required;
  const share = (performance: number): number =>
    performance === 0 ? 0 : wanted <= 0 ? 1 : Math.min(1, performance / wanted);
  if (preferredPrecisions.length === 0) return share(highestPerformance(spec));
  // Each precision that the class does not have halves what the next one is worth.
  const tried = preferredPrecisions.includes("fp16") ? preferredPrecisions : [...preferredPrecisions, "fp16"];
  const at = tried.findIndex((precision) => performanceOf(spec, precision) > 0);
  return at === -1 ? 0 : share(performanceOf(spec, tried[at] as string)) / 2 ** at;
}

/** Hourly prices cannot be compared with others: classes that have one come first, then prices of tokens, then tiers. */
const priceKind: ClassRank = {
  name: "kind of price",
  order: ["hourly", "tokens", "tier"],
  read: ({ found }) => priceOf(found?.spec.cost)?.kind,
};

const price: ClassRank = {
  name: "price",
  best: "lowest",
  value: ({ found }) => priceOf(found?.spec.cost)?.amount ?? Number.POSITIVE_INFINITY,
};

const tiers = ["low", "medium", "high"];

function priceOf(cost: ClassSpec["cost"]): { readonly kind: string; readonly amount: number } | undefined {
  const hourly = numberOf(cost?.spotPerHour) ?? numberOf(cost?.perHour);
  if (hourly !== undefined) return { kind: "hourly", amount: hourly };
  const tokens = numberOf(cost?.perMillionTokens);
  if (tokens !== undefined) return { kind: "tokens", amount: tokens };
  if (!cost?.tier) return undefined;
  const at = tiers.indexOf(cost.tier.toLowerCase());
  return { kind: "tier", amount: at === -1 ? tiers.indexOf("medium") : at };
}

/** Memory, bandwidth and performance, each as a share of the best among those that pass. */
function capabilityAmong(passing: readonly ClassCandidate[], required: ClassConstraints): (spec: ClassSpec) => number {
  const measures = [
    { weight: 0.5, of: (spec: ClassSpec) => memoryBytesOf(spec) ?? 0 },
    { weight: 0.3, of: (spec: ClassSpec) => numberOf(spec.capabilities.memoryBandwidthGBps) ?? 0 },
    { weight: 0.2, of: (spec: ClassSpec) => preferredPerformance(spec, required.preferredPrecisions ?? []) },
  ];
  const specs = passing.flatMap(({ found }) => found?.spec ?? []);
  const scaled = measures.map(({ weight, of }) => ({ weight, of, best: Math.max(0, ...specs.map(of)) }));
  return (spec) => scaled.reduce((sum, { weight, of, best }) => sum + (best === 0 ? 0 : (weight * of(spec)) / best), 0);
}

function preferredPerformance(spec: ClassSpec, precisions: readonly string[]): number {
  const all = precisions.length === 0 ? ["fp16"] : precisions;
  return all.map((precision) => performanceOf(spec, precision)).find((value) => value > 0) ?? 0;
}
