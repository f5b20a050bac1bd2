import type { Gate } from "@trivium/engines";
import type { ClassCandidate, ObservedClass } from "./candidate.ts";
import { GiB, isAtLeastVersion, memoryBytesOf } from "./capabilities.ts";
import type { ClassConstraints } from "./requirements.ts";

type ClassGate = Gate<ClassCandidate>;

/** Where the service has its constraints, and which these are: the runtime can require more. */
export interface ConstraintSource {
  readonly place: string;
  readonly constraints: ClassConstraints;
}

/** What a class must pass, in the order in which failures are reported. */
export const gatesFor = (required: ClassConstraints, source: ConstraintSource): ClassGate[] => [
  exists,
  notExcluded(required.excludedClasses ?? [], source.place),
  family(required.architectureFamilies ?? []),
  memory(required, source),
  features(required.requiredFeatures ?? []),
  version(required.minArchitectureVersion),
];

const exists: ClassGate = {
  name: "exists",
  check: ({ found }) =>
    found === undefined
      ? { reason: "AcceleratorClassNotFound", actual: "none", required: "an AcceleratorClass of this name" }
      : undefined,
  change: ({ name }) => `create AcceleratorClass ${name}`,
};

const notExcluded = (names: readonly string[], place: string): ClassGate => ({
  name: "excluded",
  check: ({ name }) =>
    names.includes(name) ? { reason: "Excluded", actual: "excluded", required: "not excluded" } : undefined,
  change: ({ name }) => `remove ${name} from ${place}.constraints.excludedClasses`,
});

/** A family is named alone, or after its vendor. */
const family = (names: readonly string[]): ClassGate =>
  gateOf("family", ({ spec }) => {
    const { vendor = "", family: own = "" } = spec;
    const spellings = [own, `${vendor}-${own}`].map((text) => text.toLowerCase());
    const isAllowed = names.length === 0 || names.some((name) => spellings.includes(name.toLowerCase()));
    return isAllowed ? undefined : { reason: "OtherFamily", actual: own || "unknown", required: names.join(" or ") };
  });

function memory(required: ClassConstraints, { place, constraints }: ConstraintSource): ClassGate {
  const { minMemory = 0, maxMemory = Number.POSITIVE_INFINITY } = required;
  const gate = gateOf("memory", ({ spec }) => {
    if (minMemory <= 0 && maxMemory === Number.POSITIVE_INFINITY) return undefined;
    const gib = wholeGib(spec);
    const actual = gib === undefined ? "unknown" : `${gib} GB`;
    if (gib === undefined || gib < minMemory)
      return { reason: "TooLittleMemory", actual, required: `at least ${minMemory} GB` };
    return gib > maxMemory ? { reason: "TooMuchMemory", actual, required: `at most ${maxMemory} GB` } : undefined;
  });
  return {
    ...gate,
    change({ found }, { reason }) {
      const gib = found && wholeGib(found.spec);
      if (gib === undefined) return undefined;
      if (reason === "TooMuchMemory") return `set ${place}.constraints.maxMemory to ${gib}`;
      return constraints.minMemory === minMemory ? `set ${place}.constraints.minMemory to ${gib}` : undefined;
    },
  };
}

/** Cards have a little less than the round number that they are sold by. */
function wholeGib(spec: ObservedClass["spec"]): number | undefined {
  const bytes = memoryBytesOf(spec);
  return bytes === undefined ? undefined : Math.round(bytes / GiB);
}

const features = (names: readonly string[]): ClassGate =>
  gateOf("features", ({ spec }) => {
    const own = (spec.capabilities.features ?? []).map((name) => name.toLowerCase());
    const missing = names.filter((name) => !own.includes(name.toLowerCase()));
    return missing.length === 0
      ? undefined
      : { reason: "FeaturesMissing", actual: own.join(", ") || "none", required: missing.join(", ") };
  });

const version = (required: string | undefined): ClassGate =>
  gateOf("architecture version", ({ spec }) => {
    const actual = spec.capabilities.computeCapability;
    if (!required || (actual && isAtLeastVersion(actual, required))) return undefined;
    return { reason: "OlderArchitecture", actual: actual || "unknown", required: `at least ${required}` };
  });

/** That a class has no object is the business of the first gate. */
const gateOf = (name: string, check: (found: ObservedClass) => ReturnType<ClassGate["check"]>): ClassGate => ({
  name,
  check: ({ found }) => (found === undefined ? undefined : check(found)),
});
