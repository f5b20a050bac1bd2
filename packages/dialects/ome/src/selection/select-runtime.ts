import type { Choice } from "@trivium/domain";
import { type Judged, type SelectionRules, select, summarizeSelection } from "@trivium/engines";
import { type Candidate, describeRuntime, idOf, type RuntimeName, type RuntimeScope } from "./candidate.ts";
import { describeLoss, describeNone, describeSelected, smallestChange } from "./describe-selection.ts";
import { type Demand, gatesFor, ranks } from "./gates.ts";
import type { ModelTraits } from "./traits.ts";
import { type WeighedRuntime, warningsOf, weighRuntime } from "./weigh-runtime.ts";

export interface SelectionRequest {
  readonly model: { readonly name: string; readonly traits: ModelTraits };
  readonly namespace: string;
  readonly candidates: readonly Candidate[];
  readonly acceleratorClasses: readonly string[];
  readonly protocol?: string | undefined;
  /** What runs now: it stays as long as it can, whatever else is available. */
  readonly current?: RuntimeName | undefined;
}

export type SelectionFault =
  | "ModelInvalid"
  | "RuntimeNotFound"
  | "RuntimeDisabled"
  | "RuntimeIncompatible"
  | "NoRuntimeFound";

export type RuntimeSelection =
  | {
      readonly is: "selected";
      readonly runtime: Candidate;
      /** Every candidate, and why each of the others was not chosen. */
      readonly choice: Choice;
      readonly message: string;
      readonly warnings: readonly string[];
    }
  | { readonly is: "failed"; readonly fault: SelectionFault; readonly choice: Choice; readonly message: string };

/** The best runtime for a model, or why each of them is not. */
export function selectRuntime(request: SelectionRequest): RuntimeSelection {
  const { model, candidates, current, acceleratorClasses, protocol } = request;
  const invalid = invalidModel(request);
  if (invalid !== undefined) return invalid;
  const isKnown = candidates.some(({ spec }) => protocol !== undefined && spec.protocolVersions?.includes(protocol));
  const rules = rulesFor({
    model: model.traits,
    acceleratorClasses,
    // The older form of services has words for protocols that no runtime knows; those choose nothing.
    protocol: isKnown ? protocol : undefined,
    choice: "automatic",
    current,
  });
  const selection = select(
    candidates.map((one) => weighRuntime(one, model.traits)),
    rules,
  );
  const choice = summarizeSelection(selection, rules);
  if (selection.is !== "chosen") {
    const change =
      smallestChange(selection.judged, (one) => changeOf(choice, one)) ?? "create a runtime that supports it";
    const message = describeNone(request, selection.judged);
    const remedy = selection.judged.length === 0 ? "" : `; ${change}, or set another model in spec.model`;
    return { is: "failed", fault: "NoRuntimeFound", choice, message: `${message}${remedy}` };
  }
  const { candidate } = selection.best;
  const warnings = warningsOf(candidate, model.traits);
  return { is: "selected", runtime: candidate.candidate, choice, message: describeSelected(selection), warnings };
}

interface RuntimeDemand extends Demand {
  readonly current?: RuntimeName | undefined;
}

const rulesFor = ({ current, ...demand }: RuntimeDemand): SelectionRules<WeighedRuntime> => ({
  of: "runtime",
  nameOf: ({ candidate }) => idOf(candidate),
  show: ({ candidate: { name, scope } }) => ({ name, scope }),
  gates: gatesFor(demand),
  ranks,
  ties: "first",
  ...(current === undefined ? {} : { current: idOf(current) }),
});

const changeOf = ({ candidates }: Choice, { candidate }: Judged<WeighedRuntime>): string | undefined =>
  candidates.find(({ name, scope }) => name === candidate.candidate.name && scope === candidate.candidate.scope)
    ?.change;

/** A runtime as a service names it: one of its namespace, or the nearest of that name. */
export interface NamedRuntime {
  readonly name: string;
  readonly scope: "namespace" | "any";
}

/** Checks the runtime that the service names. Its own namespace is looked at first. */
export function checkNamedRuntime({ name, scope }: NamedRuntime, request: SelectionRequest): RuntimeSelection {
  const invalid = invalidModel(request);
  if (invalid !== undefined) return invalid;
  const { model, namespace, candidates, acceleratorClasses } = request;
  const isMeant = (one: Candidate): boolean => one.name === name && (scope === "any" || one.scope === scope);
  const runtime = candidates.filter(isMeant).sort((a, b) => byScope(a.scope, b.scope))[0];
  if (runtime === undefined) {
    const message =
      scope === "any"
        ? `Runtime ${name} not found in namespace ${namespace} or the cluster; create it, or change spec.runtime`
        : `ServingRuntime ${name} not found in namespace ${namespace}; create it, or change spec.runtime`;
    return { is: "failed", fault: "RuntimeNotFound", choice: noChoice(`${name} not found`), message };
  }
  const rules = rulesFor({ model: model.traits, acceleratorClasses, choice: "named" });
  const selection = select([weighRuntime(runtime, model.traits)], rules);
  const because =
    selection.is === "chosen" ? "set in spec.runtime" : `spec.runtime names ${name}, which does not pass every check`;
  const choice = { ...summarizeSelection(selection, rules), because };
  const [judged] = selection.judged as readonly [Judged<WeighedRuntime>];
  const [first] = judged.failures;
  if (first === undefined) {
    const message = `Selected ${describeRuntime(runtime)}: set in spec.runtime`;
    return { is: "selected", runtime, choice, message, warnings: warningsOf(judged.candidate, model.traits) };
  }
  if (first.gate === "enabled") {
    const message = `${describeRuntime(runtime)} is disabled; enable it, or change spec.runtime`;
    return { is: "failed", fault: "RuntimeDisabled", choice, message };
  }
  const remedy = changeOf(choice, judged) ?? "use a runtime that supports it";
  const message = `${describeRuntime(runtime)} does not support model ${model.name}: ${describeLoss(judged)}; ${remedy}, or change spec.runtime`;
  return { is: "failed", fault: "RuntimeIncompatible", choice, message };
}

const noChoice = (because: string): Choice => ({ of: "runtime", because, candidates: [] });

function invalidModel({ model }: SelectionRequest): RuntimeSelection | undefined {
  if (model.traits.modelFormat?.name) return undefined;
  const because = `The format of model ${model.name} is unknown: modelFormat.name is not set, and its files have not been inspected yet`;
  const message = `${because}; set spec.modelFormat.name of the model, or wait for its files`;
  return { is: "failed", fault: "ModelInvalid", choice: noChoice(because), message };
}

const byScope = (a: RuntimeScope, b: RuntimeScope): number => Number(a === "cluster") - Number(b === "cluster");
