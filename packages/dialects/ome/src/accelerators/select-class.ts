import type { Choice, ChoiceCandidate } from "@trivium/domain";
import { explainLoss, type SelectionRules, select, summarizeSelection } from "@trivium/engines";
import type { AcceleratorPolicy } from "../kinds/accelerator-fields.ts";
import type { RuntimeSpec } from "../selection/index.ts";
import type { ClassCandidate, ObservedClass } from "./candidate.ts";
import { gatesFor } from "./gates.ts";
import { ranksFor } from "./policies.ts";
import { type ClassConstraints, requirementsOf } from "./requirements.ts";

export interface ClassRequest {
  readonly policy: AcceleratorPolicy;
  /** The field with the policy, for messages: `spec.acceleratorSelector`. */
  readonly place: string;
  readonly constraints: ClassConstraints;
  readonly runtime: { readonly name: string; readonly spec: RuntimeSpec };
  readonly classes: readonly ObservedClass[];
  /** The class in use: it stays as long as it passes. */
  readonly current?: string | undefined;
}

export type ClassSelection =
  | { readonly is: "selected"; readonly found: ObservedClass; readonly choice: Choice; readonly message: string }
  | { readonly is: "failed"; readonly choice: Choice; readonly message: string };

/** The class that a policy selects among those that the runtime lists, or why each of them cannot be used. */
export function selectClass(request: ClassRequest): ClassSelection {
  const { policy, runtime, classes, current } = request;
  const names = [...new Set(runtime.spec.acceleratorRequirements?.acceleratorClasses ?? [])];
  const candidates = names.map(
    (name, at): ClassCandidate => ({ name, at, found: classes.find((one) => one.name === name) }),
  );
  const required = requirementsOf(request.constraints, runtime.spec);
  const gates = gatesFor(required, request);
  const passing = candidates.filter((one) => gates.every((gate) => gate.check(one) === undefined));
  const rules: SelectionRules<ClassCandidate> = {
    of: "accelerator class",
    nameOf: ({ name }) => name,
    gates,
    ranks: ranksFor(policy, required, passing),
    ties: "first",
    ...(current === undefined ? {} : { current }),
  };
  const selection = select(candidates, rules);
  const choice = summarizeSelection(selection, rules);
  const found = selection.is === "chosen" ? selection.best.candidate.found : undefined;
  if (found === undefined) return { is: "failed", choice, message: describeNone(request, choice) };
  return { is: "selected", found, choice, message: describeSelected(request, choice) };
}

const describeSelected = ({ policy, place }: ClassRequest, { because }: Choice): string =>
  `Selected by policy ${policy} in ${place}: ${because}`;

function describeNone({ policy, place, runtime }: ClassRequest, { candidates }: Choice): string {
  const cause = `No accelerator class of runtime ${runtime.name} can be used for policy ${policy} in ${place}`;
  const losses = candidates.map(({ name, failed }) => `${name} (${explainLoss({ failures: failed })})`);
  // A class that exists is nearer than one that does not.
  const isFound = ({ failed }: ChoiceCandidate): boolean => failed.every(({ gate }) => gate !== "exists");
  const ordered = [...candidates.filter(isFound), ...candidates.filter((one) => !isFound(one))];
  const change = ordered.find((one) => one.change !== undefined)?.change ?? `change ${place}`;
  return `${cause}: ${losses.join(", ")}; ${change}`;
}
