import type { Choice } from "@trivium/domain";
import {
  explainLoss,
  type FailedGate,
  type Judged,
  type Selection,
  select,
  summarizeSelection,
} from "@trivium/engines";
import type { ObservedTemplate } from "../observed/observed-service.ts";
import { describeMatching, type Matching } from "./matching.ts";
import { stateOf } from "./template-facts.ts";
import { type TemplateInput, templateRules } from "./template-rules.ts";

type TemplateResult =
  /** `base` is what a derived template is made of, where overrides ask for one. */
  | {
      readonly is: "chosen";
      readonly template: ObservedTemplate;
      readonly fit: "unchanged" | "base";
    }
  | { readonly is: "waiting"; readonly message: string }
  | {
      readonly is: "failed";
      readonly reason: "TemplateNotFound" | "TemplateSelectionAmbiguous";
      readonly message: string;
    };

/** Why that one, and what kept every other one from it; the same as the API reports it. */
type TemplateChoice = TemplateResult & { readonly choice: Choice; readonly matching: Matching };

/** Chooses among the templates of a model. What overrides ask for is taken as it is where a template has it, else one is derived. */
export function chooseTemplate(input: TemplateInput): TemplateChoice {
  const { candidates, service } = input;
  const rules = templateRules(input, "matched");
  const first = select(candidates, rules);
  const choice = summarizeSelection(first, rules);
  const matching = describeMatching(first, choice);
  if (first.is !== "none") return { ...settle(first, "unchanged"), matching, choice };
  const hasOverrides = Object.keys(service.spec.overrides ?? {}).length > 0;
  if (hasOverrides && !first.judged.some(mayStillPass)) {
    const derived = templateRules(input, "derived");
    const second = select(candidates, derived);
    if (second.is !== "none") {
      const choice = summarizeSelection(second, derived);
      const matching = describeMatching(second, choice, unmatchedOf(first));
      return { ...settle(second, "base"), matching, choice };
    }
  }
  return { ...refuse(first, input), matching, choice };
}

/** Whether it only needs time: then nothing is derived that would be there anyway a moment later. */
const mayStillPass = ({ candidate, failures }: Judged<ObservedTemplate>): boolean =>
  failures.every(({ gate }) => gate === "status") && ["Pending", "Progressing"].includes(stateOf(candidate));

type Settled = Exclude<Selection<ObservedTemplate>, { is: "none" }>;

/** Which overrides each does not match is reported even where it does not decide. */
function unmatchedOf({ judged }: Selection<ObservedTemplate>): ReadonlyMap<string, readonly FailedGate[]> {
  return new Map(
    judged.map(({ name, failures }) => [
      name,
      failures.filter(({ reason }) => reason === "ServiceOverridesNotMatched"),
    ]),
  );
}

function settle(selection: Settled, fit: "unchanged" | "base"): TemplateResult {
  if (selection.is === "chosen") return { is: "chosen", template: selection.best.candidate, fit };
  const names = selection.best.map(({ candidate }) => candidate.name).join(", ");
  const message = `Templates ${names} are equally suitable; set spec.templateRef to one of them, or narrow the selection with spec.overrides`;
  return { is: "failed", reason: "TemplateSelectionAmbiguous", message };
}

function refuse(selection: Selection<ObservedTemplate>, { model, candidates }: TemplateInput): TemplateResult {
  const fail = (message: string): TemplateResult => ({ is: "failed", reason: "TemplateNotFound", message });
  if (candidates.length === 0) {
    const image = model.spec.discovery?.enabled === false ? "enable its discovery, or create" : "create";
    return fail(
      `${model.kind} ${model.name} has no template; ${image} an AIMServiceTemplate with modelName: ${model.name}`,
    );
  }
  const failed = selection.judged.map(({ failures }) => failures[0]?.gate);
  if (failed.every((gate) => gate === "status" || gate === "scope") || selection.judged.some(mayStillPass)) {
    const message = `No template of ${model.kind} ${model.name} is ready: ${summaryOf(selection)}`;
    return { is: "waiting", message };
  }
  const unoptimized = selection.judged.find(({ failures }) => failures.every(({ gate }) => gate === "profile type"));
  if (unoptimized !== undefined) {
    return fail(
      `No template with an optimized profile matches; set spec.template.allowUnoptimized: true to use another one, such as ${unoptimized.candidate.name}`,
    );
  }
  return fail(`No template of ${model.kind} ${model.name} matches: ${summaryOf(selection)}`);
}

/** A template that is not ready says why in its own status; what else it lacks matters only afterwards. */
function lossOf(judged: Judged<ObservedTemplate>): string {
  const status = judged.failures.find(({ gate }) => gate === "status");
  return status === undefined ? `: ${explainLoss(judged)}` : ` is ${status.actual}`;
}

const summaryOf = ({ judged }: Selection<ObservedTemplate>): string => {
  const shown = judged.slice(0, 5).map((one) => `${one.candidate.name}${lossOf(one)}`);
  return shown.join("; ") + (judged.length > shown.length ? `; and ${judged.length - shown.length} more` : "");
};
