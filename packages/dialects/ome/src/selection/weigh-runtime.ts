import { once } from "@trivium/std";
import type { Candidate } from "./candidate.ts";
import { compareFormat, type Mismatch } from "./match-format.ts";
import { compareSize, formatRange, type SizeComparison } from "./model-size.ts";
import type { ModelTraits, RuntimeSpec, SupportedFormat } from "./traits.ts";

/** One entry of a runtime's supported formats against a model. */
export interface WeighedEntry {
  readonly mismatches: readonly Mismatch[];
  readonly isAutoSelected: boolean;
  readonly score: number;
}

/** A runtime with all that gates and ranks ask about it and a model. */
export interface WeighedRuntime {
  readonly candidate: Candidate;
  readonly entries: readonly WeighedEntry[];
  /** Entries that match, and those of them that are open to automatic selection. */
  readonly matching: number;
  readonly open: number;
  /** Of the best open entry; 0 where there is none. */
  readonly score: number;
  readonly size: SizeComparison;
}

export function weighRuntime(candidate: Candidate, model: ModelTraits): WeighedRuntime {
  const { entries, matching, open, score, size } = weighSpec(model, candidate.spec);
  return { candidate, entries, matching, open, score, size };
}

type Weighed = Omit<WeighedRuntime, "candidate">;

/** Every service is compared with every runtime, in every pass; few models and few runtimes change in between. */
const weighedFor: (model: ModelTraits) => WeakMap<RuntimeSpec, Weighed> = once(() => new WeakMap());

function weighSpec(model: ModelTraits, spec: RuntimeSpec): Weighed {
  const known = weighedFor(model);
  let weighed = known.get(spec);
  if (weighed === undefined) {
    weighed = evaluate(model, spec);
    known.set(spec, weighed);
  }
  return weighed;
}

function evaluate(model: ModelTraits, spec: RuntimeSpec): Weighed {
  const entries = (spec.supportedModelFormats ?? []).map((entry) => weighEntry(entry, model));
  const matching = entries.filter(({ mismatches }) => mismatches.length === 0);
  const open = matching.filter(({ isAutoSelected }) => isAutoSelected);
  return {
    entries,
    matching: matching.length,
    open: open.length,
    score: Math.max(0, ...open.map(({ score }) => score)),
    size: compareSize(model.modelParameterSize, spec.modelSizeRange),
  };
}

/** The entry by which a runtime serves a model: of those that fit one that is open to choice, of the highest score. */
export function bestEntry({ supportedModelFormats }: RuntimeSpec, model: ModelTraits): SupportedFormat | undefined {
  const fitting = (supportedModelFormats ?? [])
    .map((entry) => ({ entry, ...weighEntry(entry, model) }))
    .filter(({ mismatches }) => mismatches.length === 0);
  const order = fitting.toSorted((a, b) => Number(b.isAutoSelected) - Number(a.isAutoSelected) || b.score - a.score);
  return order[0]?.entry;
}

function weighEntry(entry: SupportedFormat, model: ModelTraits): WeighedEntry {
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

/** What a service should know of the runtime that it uses. */
export function warningsOf({ candidate, entries }: WeighedRuntime, model: ModelTraits): string[] {
  const { modelSizeRange } = candidate.spec;
  const isClosed = entries.length > 0 && !entries.some(({ isAutoSelected }) => isAutoSelected);
  const isUnsized = !model.modelParameterSize && modelSizeRange !== undefined;
  return [
    ...(isClosed ? ["no entry has autoSelect: true, so the runtime is used only by services that name it"] : []),
    ...(isUnsized
      ? [`the size of the model is unknown, and the runtime supports ${formatRange(modelSizeRange ?? {})}`]
      : []),
  ];
}
