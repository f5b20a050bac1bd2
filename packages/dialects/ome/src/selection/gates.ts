import type { Gate, Rank } from "@trivium/engines";
import { describeRuntime } from "./candidate.ts";
import { describeOffer, missingFramework } from "./match-format.ts";
import { formatRange } from "./model-size.ts";
import { describeTraits, type ModelTraits } from "./traits.ts";
import type { WeighedRuntime } from "./weigh-runtime.ts";

export interface Demand {
  readonly model: ModelTraits;
  /** Classes of accelerators that the service insists on. */
  readonly acceleratorClasses: readonly string[];
  /** A protocol that the service insists on. */
  readonly protocol?: string | undefined;
  /** A runtime that a user named need not be open to automatic selection. */
  readonly choice: "automatic" | "named";
}

type RuntimeGate = Gate<WeighedRuntime>;

/** What a runtime must pass, in the order in which failures are reported. */
export const gatesFor = (demand: Demand): RuntimeGate[] => [
  enabled,
  accelerator(demand.acceleratorClasses),
  protocol(demand.protocol),
  format(describeTraits(demand.model)),
  size(demand.model),
  ...(demand.choice === "automatic" ? [autoSelect, score] : []),
];

/** The namespace comes before the cluster, whatever the scores; then score, then the closest range. */
export const ranks: readonly Rank<WeighedRuntime>[] = [
  { name: "scope", order: ["namespace", "cluster"], read: ({ candidate }) => candidate.scope },
  { name: "score", best: "highest", value: (one) => one.score },
  {
    name: "distance from the model size",
    best: "lowest",
    value: ({ size: found }) => (found.is === "fits" ? found.distance : Number.POSITIVE_INFINITY),
  },
];

const enabled: RuntimeGate = {
  name: "enabled",
  check: ({ candidate }) =>
    candidate.spec.disabled === true ? { reason: "RuntimeDisabled", actual: "false", required: "true" } : undefined,
  change: ({ candidate }) => `set spec.disabled: false in ${describeRuntime(candidate)}`,
};

const accelerator = (wanted: readonly string[]): RuntimeGate => ({
  name: "accelerator",
  check({ candidate }) {
    const offered = candidate.spec.acceleratorRequirements?.acceleratorClasses ?? [];
    const missing = wanted.filter((one) => !offered.includes(one));
    if (missing.length === 0) return undefined;
    return { reason: "AcceleratorUnsupported", actual: offered.join(", ") || "none", required: missing.join(", ") };
  },
  change: ({ candidate }, { required }) =>
    `add ${required} to spec.acceleratorRequirements.acceleratorClasses of ${describeRuntime(candidate)}`,
});

const protocol = (wanted: string | undefined): RuntimeGate => ({
  name: "protocol",
  check({ candidate }) {
    const { protocolVersions = [] } = candidate.spec;
    if (wanted === undefined || protocolVersions.includes(wanted)) return undefined;
    return { reason: "ProtocolUnsupported", actual: protocolVersions.join(", ") || "none", required: wanted };
  },
  change: ({ candidate }, { required }) => `add ${required} to spec.protocolVersions of ${describeRuntime(candidate)}`,
});

const format = (required: string): RuntimeGate => ({
  name: "format",
  check({ entries, matching }) {
    if (matching > 0) return undefined;
    if (entries.length === 0) return { reason: "FormatUnsupported", actual: "no supported formats defined", required };
    const actual = entries.map(({ mismatches }) => mismatches.map(describeOffer).join(", ")).join("; ");
    return { reason: "FormatUnsupported", actual, required };
  },
  change({ candidate, entries }, { required }) {
    const [framework] = entries.flatMap(({ mismatches }) => missingFramework(mismatches) ?? []);
    if (framework !== undefined) return `set spec.modelFramework.name: ${framework} in the model`;
    // A runtime for another format is no near miss: an entry alone would not make it able to serve this one.
    const isNear = entries.some(({ mismatches }) => !mismatches.some(({ aspect }) => aspect === "format name"));
    return isNear
      ? `add an entry for ${required} to spec.supportedModelFormats of ${describeRuntime(candidate)}`
      : undefined;
  },
});

const size = ({ modelParameterSize = "" }: ModelTraits): RuntimeGate => ({
  name: "size",
  check({ candidate, size: found }) {
    if (found.is === "open" || found.is === "fits") return undefined;
    const range = formatRange(candidate.spec.modelSizeRange ?? {});
    return found.is === "outside"
      ? { reason: "SizeOutOfRange", actual: range, required: modelParameterSize }
      : { reason: "SizeInvalid", actual: found.text, required: "a number of parameters such as 7B or 350M" };
  },
  change: ({ candidate }, { reason, required }) =>
    reason === "SizeOutOfRange"
      ? `widen spec.modelSizeRange of ${describeRuntime(candidate)} to include ${required}`
      : `set ${required} in spec.modelSizeRange of ${describeRuntime(candidate)} and in the model`,
});

/** Only asked of runtimes that match: of others it is of no use to know. */
const autoSelect: RuntimeGate = {
  name: "autoSelect",
  check: ({ matching, open }) =>
    matching > 0 && open === 0 ? { reason: "AutoSelectOff", actual: "false", required: "true" } : undefined,
  change: ({ candidate }) => `set spec.runtime.name: ${candidate.name} in the InferenceService`,
};

const score: RuntimeGate = {
  name: "score",
  check: (one) =>
    one.open > 0 && one.score <= 0
      ? { reason: "ScoreTooLow", actual: String(one.score), required: "greater than 0" }
      : undefined,
  change: ({ candidate }) =>
    `set a priority greater than 0 in spec.supportedModelFormats of ${describeRuntime(candidate)}`,
};
