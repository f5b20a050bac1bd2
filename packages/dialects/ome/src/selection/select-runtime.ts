import type { Candidate, Demand, RuntimeReport, RuntimeScope } from "./judge-runtime.ts";
import { judgeRuntime } from "./judge-runtime.ts";
import { labelOf, type ModelTraits } from "./traits.ts";

export interface RuntimeName {
  readonly name: string;
  readonly scope: RuntimeScope;
}

export interface SelectionRequest {
  readonly model: { readonly name: string; readonly traits: ModelTraits };
  readonly namespace: string;
  readonly candidates: readonly Candidate[];
  readonly acceleratorClasses: readonly string[];
  readonly protocol?: string | undefined;
  /** What runs now: it goes on as long as it can, whatever else has come. */
  readonly current?: RuntimeName | undefined;
}

export type SelectionFault =
  | "ModelInvalid"
  | "RuntimeNotFound"
  | "RuntimeDisabled"
  | "RuntimeIncompatible"
  | "NoRuntimeFound";

export type Selection =
  | {
      readonly is: "selected";
      readonly runtime: Candidate;
      /** Why this one, in a sentence. */
      readonly message: string;
      readonly warnings: readonly string[];
      readonly reports: readonly RuntimeReport[];
    }
  | {
      readonly is: "failed";
      readonly fault: SelectionFault;
      readonly message: string;
      readonly reports: readonly RuntimeReport[];
    };

/** The best runtime for a model, or why each of them is not. */
export function selectRuntime(request: SelectionRequest): Selection {
  const invalid = invalidModel(request);
  if (invalid !== undefined) return invalid;
  const { candidates, current } = request;
  const reports = rankRuntimes(request);
  const eligible = reports.filter(({ failed }) => failed.length === 0);
  const [best] = eligible;
  if (best === undefined) {
    return { is: "failed", fault: "NoRuntimeFound", message: describeNone(request, reports), reports };
  }
  const kept = eligible.find((report) => current !== undefined && isSame(report, current));
  const chosen = kept ?? best;
  const runtime = candidates.find((one) => isSame(one, chosen)) as Candidate;
  return { is: "selected", runtime, message: describeChoice(chosen, reports), warnings: chosen.warnings, reports };
}

/** Every candidate with its report, those that can be chosen first and the best of them at the top. */
export function rankRuntimes({ model, candidates, acceleratorClasses, protocol }: SelectionRequest): RuntimeReport[] {
  const isSpoken = candidates.some(({ spec }) => protocol !== undefined && spec.protocolVersions?.includes(protocol));
  const demand: Demand = {
    model: model.traits,
    label: labelOf(model.traits),
    acceleratorClasses,
    // The older form of services has words for protocols that no runtime knows; those choose nothing.
    protocol: isSpoken ? protocol : undefined,
    choice: "automatic",
  };
  return candidates.map((candidate) => judgeRuntime(candidate, demand)).sort(compareReports);
}

/** A runtime as a service names it: one of its namespace, or the nearest of that name. */
export interface NamedRuntime {
  readonly name: string;
  readonly scope: "namespace" | "any";
}

/** Checks the runtime that the service names. Its own namespace is looked at first. */
export function checkNamedRuntime({ name, scope }: NamedRuntime, request: SelectionRequest): Selection {
  const invalid = invalidModel(request);
  if (invalid !== undefined) return invalid;
  const { model, namespace, candidates, acceleratorClasses } = request;
  const isMeant = (one: Candidate): boolean => one.name === name && (scope === "any" || one.scope === scope);
  const runtime = candidates.filter(isMeant).sort((a, b) => byScope(a, b))[0];
  if (runtime === undefined) {
    const message =
      scope === "any"
        ? `runtime ${name} exists neither in namespace ${namespace} nor for the cluster; create it, or name another in spec.runtime`
        : `ServingRuntime ${name} does not exist in namespace ${namespace}; create it, or change spec.runtime`;
    return { is: "failed", fault: "RuntimeNotFound", message, reports: [] };
  }
  const report = judgeRuntime(runtime, {
    model: model.traits,
    label: labelOf(model.traits),
    acceleratorClasses,
    choice: "named",
  });
  const [first] = report.failed;
  if (first === undefined) {
    const message = `${describeScope(runtime)} runtime ${name}, named in spec.runtime`;
    return { is: "selected", runtime, message, warnings: report.warnings, reports: [report] };
  }
  if (first.gate === "enabled") {
    const message = `${describeScope(runtime)} runtime ${name} is disabled; enable it, or name another in spec.runtime`;
    return { is: "failed", fault: "RuntimeDisabled", message, reports: [report] };
  }
  const message = `runtime ${name} does not support model ${model.name}: ${first.message}`;
  return { is: "failed", fault: "RuntimeIncompatible", message, reports: [report] };
}

function invalidModel({ model }: SelectionRequest): Selection | undefined {
  if (model.traits.modelFormat?.name) return undefined;
  const message = `the format of model ${model.name} is unknown: modelFormat.name is not set, and its files have not been read yet`;
  return { is: "failed", fault: "ModelInvalid", message, reports: [] };
}

const byScope = (a: RuntimeName, b: RuntimeName): number =>
  Number(a.scope === "cluster") - Number(b.scope === "cluster");
const isSame = (a: RuntimeName, b: RuntimeName): boolean => a.name === b.name && a.scope === b.scope;

/** The namespace comes before the cluster, whatever the scores; then score, then the closest range, then the name. */
function compareReports(a: RuntimeReport, b: RuntimeReport): number {
  return (
    Number(a.failed.length > 0) - Number(b.failed.length > 0) ||
    byScope(a, b) ||
    b.score - a.score ||
    compareDistance(a.sizeDistance, b.sizeDistance) ||
    (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
  );
}

/** Infinities are equal, and their difference is not a number. */
const compareDistance = (a: number, b: number): number => (a === b ? 0 : a - b);

const describeScope = ({ scope }: RuntimeName): string => (scope === "cluster" ? "cluster-scoped" : "namespace-scoped");

/** Why this one, and what every other one lacks. */
function describeChoice(chosen: RuntimeReport, reports: readonly RuntimeReport[]): string {
  const what = `${describeScope(chosen)} runtime ${chosen.name} with score ${chosen.score}`;
  const others = reports.filter((one) => one !== chosen);
  const [best, ...losers] = others.filter(({ failed }) => failed.length === 0);
  const behind = others.length === 0 ? "" : `. The others: ${listReasons(others)}`;
  if (best === undefined) return `${what}, the only one that fits${behind}`;
  if (reports.indexOf(best) < reports.indexOf(chosen))
    return `${what}, kept because it runs; a new service would get ${describeScope(best)} runtime ${best.name} with score ${best.score}${behind}`;
  return `${what}, the best of ${losers.length + 2} that fit${behind}`;
}

const maxReasons = 20;
const longestReason = 600;

/** Each with all that keeps it from being chosen; the first of very many. */
function listReasons(reports: readonly RuntimeReport[]): string {
  const shown = reports.slice(0, maxReasons).map((report) => `${report.name} (${reasonOf(report)})`);
  const more = reports.length > maxReasons ? `; and ${reports.length - maxReasons} more` : "";
  return shown.join("; ") + more;
}

function reasonOf({ failed, scope, score }: RuntimeReport): string {
  if (failed.length === 0) return `fits as well, with score ${score} and of the ${scope}`;
  const text = failed.map(({ message }) => message).join(", and ");
  return text.length <= longestReason ? text : `${text.slice(0, longestReason)}…`;
}

function describeNone({ model, namespace }: SelectionRequest, reports: readonly RuntimeReport[]): string {
  const own = reports.filter(({ scope }) => scope === "namespace").length;
  const counts = `${reports.length} looked at: ${own} of namespace ${namespace}, ${reports.length - own} of the cluster`;
  const why = reports.length === 0 ? "create a ServingRuntime or ClusterServingRuntime" : listReasons(reports);
  return `no runtime supports model ${model.name} of format ${labelOf(model.traits)} (${counts}): ${why}`;
}
