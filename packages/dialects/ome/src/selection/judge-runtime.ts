import { compareFormat, describeMismatch, type Mismatch } from "./match-format.ts";
import { compareSize, formatRange, type SizeComparison } from "./model-size.ts";
import { labelOf, type ModelTraits, type RuntimeSpec, type SupportedFormat } from "./traits.ts";

/** A runtime that may be chosen, of the service's namespace or of the whole cluster. */
export interface Candidate {
  readonly name: string;
  readonly scope: RuntimeScope;
  readonly spec: RuntimeSpec;
}
export type RuntimeScope = "namespace" | "cluster";

export type Gate = "enabled" | "accelerator" | "protocol" | "format" | "size" | "autoSelect" | "score";

/** A gate that a runtime does not pass, with what was wanted of it and what it has. */
export interface FailedGate {
  readonly gate: Gate;
  readonly wanted: string;
  readonly found: string;
  readonly message: string;
}

/** All there is to say about one runtime and one model. */
export interface RuntimeReport {
  readonly name: string;
  readonly scope: RuntimeScope;
  /** In the order in which they are asked; the first is the reason that is told. */
  readonly failed: readonly FailedGate[];
  readonly warnings: readonly string[];
  readonly entries: readonly EntryReport[];
  /** Of the best entry that matches and may be chosen; 0 where there is none. */
  readonly score: number;
  readonly sizeDistance: number;
}

export interface EntryReport {
  readonly mismatches: readonly Mismatch[];
  readonly isAutoSelected: boolean;
  readonly score: number;
}

export interface Demand {
  readonly model: ModelTraits;
  /** What the model is, in a word. */
  readonly label: string;
  /** Classes of accelerators that the service insists on. */
  readonly acceleratorClasses: readonly string[];
  /** A protocol that the service insists on. */
  readonly protocol?: string | undefined;
  /** A runtime that somebody named need not be open to choice. */
  readonly choice: "automatic" | "named";
}

/** Asks every gate, also after one was failed: a person who repairs one wants to know of the others. */
export function judgeRuntime({ name, scope, spec }: Candidate, demand: Demand): RuntimeReport {
  const { model, choice } = demand;
  const entries = (spec.supportedModelFormats ?? []).map((entry) => judgeEntry(entry, model));
  const matching = entries.filter(({ mismatches }) => mismatches.length === 0);
  const open = matching.filter(({ isAutoSelected }) => isAutoSelected);
  const score = Math.max(0, ...open.map((entry) => entry.score));
  const size = compareSize(model.modelParameterSize, spec.modelSizeRange);
  const isAutomatic = choice === "automatic";
  const failed = [
    ...enabledGate(spec),
    ...acceleratorGate(spec, demand.acceleratorClasses),
    ...protocolGate(spec, demand.protocol),
    ...formatGate(entries, spec, demand.label),
    ...sizeGate(size, spec, model),
    ...(isAutomatic && matching.length > 0 ? choiceGates(open.length, score) : []),
  ];
  return {
    name,
    scope,
    failed,
    warnings: warningsOf(entries, spec, model),
    entries,
    score,
    sizeDistance: size.is === "fits" ? size.distance : Number.POSITIVE_INFINITY,
  };
}

/** The entry by which a runtime serves a model: of those that fit one that may be chosen, of the highest score. */
export function bestEntry({ supportedModelFormats }: RuntimeSpec, model: ModelTraits): SupportedFormat | undefined {
  const fitting = (supportedModelFormats ?? [])
    .map((entry) => ({ entry, ...judgeEntry(entry, model) }))
    .filter(({ mismatches }) => mismatches.length === 0);
  const order = fitting.toSorted((a, b) => Number(b.isAutoSelected) - Number(a.isAutoSelected) || b.score - a.score);
  return order[0]?.entry;
}

function judgeEntry(entry: SupportedFormat, model: ModelTraits): EntryReport {
  const mismatches = compareFormat(entry, model);
  return {
    mismatches,
    isAutoSelected: entry.autoSelect === true,
    score: mismatches.length === 0 ? scoreOf(entry, model) : 0,
  };
}

/** A weight that says 0 counts as much as one that matters; one that says nothing has the default of the schema. */
function scoreOf({ modelFormat, modelFramework, priority = 1 }: SupportedFormat, model: ModelTraits): number {
  const hasFramework = modelFramework !== undefined && model.modelFramework !== undefined;
  const weight = (given: number | undefined, forZero: number): number => (given ?? 1) || forZero;
  const format = modelFormat === undefined ? 0 : weight(modelFormat.weight, 10);
  return priority * (format + (hasFramework ? weight(modelFramework.weight, 5) : 0));
}

const enabledGate = ({ disabled }: RuntimeSpec): FailedGate[] =>
  disabled === true
    ? [{ gate: "enabled", wanted: "enabled", found: "disabled", message: "the runtime is disabled" }]
    : [];

function acceleratorGate({ acceleratorRequirements }: RuntimeSpec, wanted: readonly string[]): FailedGate[] {
  const offered = acceleratorRequirements?.acceleratorClasses ?? [];
  const missing = wanted.filter((one) => !offered.includes(one));
  if (missing.length === 0) return [];
  const found = offered.join(", ") || "none";
  const message = `the runtime does not support the required accelerator class ${missing.join(", ")} (supported: ${found})`;
  return [{ gate: "accelerator", wanted: wanted.join(", "), found, message }];
}

function protocolGate({ protocolVersions = [] }: RuntimeSpec, wanted: string | undefined): FailedGate[] {
  if (wanted === undefined || protocolVersions.includes(wanted)) return [];
  const found = protocolVersions.join(", ") || "none";
  return [
    {
      gate: "protocol",
      wanted,
      found,
      message: `the runtime does not support protocol ${wanted} (supported: ${found})`,
    },
  ];
}

function formatGate(entries: readonly EntryReport[], spec: RuntimeSpec, wanted: string): FailedGate[] {
  if (entries.some(({ mismatches }) => mismatches.length === 0)) return [];
  if (entries.length === 0)
    return [{ gate: "format", wanted, found: "none", message: "the runtime has no supported formats defined" }];
  const why = entries.map(({ mismatches }) => mismatches.map(describeMismatch).join(", ")).join("; ");
  const found = labelsOf(spec.supportedModelFormats);
  return [{ gate: "format", wanted, found, message: `model format '${wanted}' not in supported formats: ${why}` }];
}

/** The same list again and again, for every service: it is put into words once. */
const labels = new WeakMap<readonly SupportedFormat[], string>();

function labelsOf(formats: readonly SupportedFormat[]): string {
  const known = labels.get(formats);
  if (known !== undefined) return known;
  const text = formats.map((entry) => labelOf(entry)).join(", ");
  labels.set(formats, text);
  return text;
}

function sizeGate(size: SizeComparison, { modelSizeRange }: RuntimeSpec, model: ModelTraits): FailedGate[] {
  if (size.is === "open" || size.is === "fits") return [];
  const [wanted, found] = [model.modelParameterSize ?? "", formatRange(modelSizeRange ?? {})];
  const message =
    size.is === "outside"
      ? `model size ${wanted} is outside ${found}`
      : `size '${size.text}' is not a valid number of parameters (expected e.g. 7B or 350M)`;
  return [{ gate: "size", wanted, found, message }];
}

function choiceGates(open: number, score: number): FailedGate[] {
  if (open === 0) {
    const message = "no matching entry has autoSelect: true; set spec.runtime to use it";
    return [{ gate: "autoSelect", wanted: "true", found: "false", message }];
  }
  if (score > 0) return [];
  return [
    {
      gate: "score",
      wanted: "above 0",
      found: String(score),
      message: "the score of its best entry is not greater than 0",
    },
  ];
}

function warningsOf(entries: readonly EntryReport[], spec: RuntimeSpec, model: ModelTraits): string[] {
  const isClosed = entries.length > 0 && !entries.some(({ isAutoSelected }) => isAutoSelected);
  const isUnsized = !model.modelParameterSize && spec.modelSizeRange !== undefined;
  return [
    ...(isClosed ? ["no entry has autoSelect: true, so the runtime is used only by services that name it"] : []),
    ...(isUnsized
      ? [`the size of the model is unknown, and the runtime supports ${formatRange(spec.modelSizeRange ?? {})}`]
      : []),
  ];
}
