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
        ? `Runtime ${name} not found in namespace ${namespace} or the cluster; create it, or change spec.runtime`
        : `ServingRuntime ${name} not found in namespace ${namespace}; create it, or change spec.runtime`;
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
    const message = `Selected ${describe(runtime)}: set in spec.runtime`;
    return { is: "selected", runtime, message, warnings: report.warnings, reports: [report] };
  }
  if (first.gate === "enabled") {
    const message = `${describe(runtime)} is disabled; enable it, or change spec.runtime`;
    return { is: "failed", fault: "RuntimeDisabled", message, reports: [report] };
  }
  const message = `${describe(runtime)} does not support model ${model.name}: ${first.message}`;
  return { is: "failed", fault: "RuntimeIncompatible", message, reports: [report] };
}

function invalidModel({ model }: SelectionRequest): Selection | undefined {
  if (model.traits.modelFormat?.name) return undefined;
  const message = `The format of model ${model.name} is unknown: modelFormat.name is not set, and its files have not been inspected yet`;
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

const describe = ({ scope, name }: RuntimeName): string =>
  `${scope === "cluster" ? "ClusterServingRuntime" : "ServingRuntime"} ${name}`;

/** Why this one, and what every other one lacks. */
function describeChoice(chosen: RuntimeReport, reports: readonly RuntimeReport[]): string {
  const what = `Selected ${describe(chosen)}`;
  const others = reports.filter((one) => one !== chosen);
  const [best, ...losers] = others.filter(({ failed }) => failed.length === 0);
  const behind = others.length === 0 ? "" : `. Other runtimes: ${listReasons(others)}`;
  if (best === undefined)
    return `${what}: the only ${others.length === 0 ? "runtime" : `compatible runtime of ${reports.length}`}${behind}`;
  if (reports.indexOf(best) < reports.indexOf(chosen))
    return `${what}: already in use; a new service would use ${describe(best)}${behind}`;
  return `${what}: the best of ${losers.length + 2} compatible runtimes (score ${chosen.score})${behind}`;
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
  if (failed.length === 0) return `compatible, ${scope}-scoped, score ${score}`;
  const text = failed.map(({ message }) => message).join(", and ");
  return text.length <= longestReason ? text : `${text.slice(0, longestReason)}…`;
}

function describeNone({ model, namespace }: SelectionRequest, reports: readonly RuntimeReport[]): string {
  const cause = `No runtime supports model ${model.name} with format ${labelOf(model.traits)}`;
  if (reports.length === 0)
    return `${cause}: namespace ${namespace} and the cluster have none; create a ServingRuntime or ClusterServingRuntime`;
  const own = reports.filter(({ scope }) => scope === "namespace").length;
  return `${cause} (checked ${own} in namespace ${namespace} and ${reports.length - own} in the cluster): ${listReasons(reports)}`;
}
