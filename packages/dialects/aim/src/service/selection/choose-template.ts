import type { Choice } from "@trivium/domain";
import { explainLoss, type Judged, type Selection, select, summarizeSelection } from "@trivium/engines";
import type { ServiceStatus } from "../names/names.ts";
import type { ObservedTemplate } from "../observed/observed-service.ts";
import { stateOf } from "./template-facts.ts";
import { type TemplateInput, templateRules } from "./template-rules.ts";

export type Matching = NonNullable<ServiceStatus["templateMatching"]>;

type TemplateResult =
  /** `base` is what a derived template is made of, where overrides ask for one. */
  | {
      readonly is: "chosen";
      readonly template: ObservedTemplate;
      readonly fit: "unchanged" | "base";
      readonly matching: Matching;
    }
  | { readonly is: "waiting"; readonly message: string; readonly matching: Matching }
  | {
      readonly is: "failed";
      readonly reason: "TemplateNotFound" | "TemplateSelectionAmbiguous";
      readonly message: string;
      readonly matching: Matching;
    };

/** Why that one, and what kept every other one from it. */
export type TemplateChoice = TemplateResult & { readonly choice: Choice };

/** Chooses among the templates of a model. What overrides ask for is taken as it is where a template has it, else one is derived. */
export function chooseTemplate(input: TemplateInput): TemplateChoice {
  const { candidates, service } = input;
  const rules = templateRules(input, "matched");
  const first = select(candidates, rules);
  const choice = summarizeSelection(first, rules);
  if (first.is !== "none") return { ...settle(first, "unchanged"), choice };
  const hasOverrides = Object.keys(service.spec.overrides ?? {}).length > 0;
  if (hasOverrides && !first.judged.some(mayStillPass)) {
    const derived = templateRules(input, "derived");
    const second = select(candidates, derived);
    if (second.is !== "none")
      return { ...settle(withUnmatched(second, first), "base"), choice: summarizeSelection(second, derived) };
  }
  return { ...refuse(first, input), choice };
}

/** Whether it only needs time: then nothing is derived that would be there anyway a moment later. */
const mayStillPass = ({ candidate, failures }: Judged<ObservedTemplate>): boolean =>
  failures.every(({ gate }) => gate === "status") && ["Pending", "Progressing"].includes(stateOf(candidate));

type Settled = Exclude<Selection<ObservedTemplate>, { is: "none" }>;

/** What each lacks of what overrides want is told even where it does not decide. */
function withUnmatched(second: Settled, { judged }: Selection<ObservedTemplate>): Settled & Unmatched {
  const reported = judged.map(({ name, failures }) => {
    const unmatched = failures.filter(({ reason }) => reason === "ServiceOverridesNotMatched");
    return [name, explainLoss({ failures: unmatched }) ?? ""] as const;
  });
  return { ...second, unmatched: new Map(reported) };
}

interface Unmatched {
  readonly unmatched?: ReadonlyMap<string, string>;
}

function settle(selection: Settled & Unmatched, fit: "unchanged" | "base"): TemplateResult {
  const matching = describeMatching(selection);
  if (selection.is === "chosen") return { is: "chosen", template: selection.best.candidate, fit, matching };
  const names = selection.best.map(({ candidate }) => candidate.name).join(", ");
  const message = `Templates ${names} are equally suitable; set spec.templateRef to one of them, or narrow the selection with spec.overrides`;
  return { is: "failed", reason: "TemplateSelectionAmbiguous", message, matching };
}

function refuse(selection: Selection<ObservedTemplate>, { model, candidates }: TemplateInput): TemplateResult {
  const matching = describeMatching(selection);
  const fail = (message: string): TemplateResult => ({ is: "failed", reason: "TemplateNotFound", message, matching });
  if (candidates.length === 0) {
    const image = model.spec.discovery?.enabled === false ? "enable its discovery, or create" : "create";
    return fail(
      `${model.kind} ${model.name} has no template; ${image} an AIMServiceTemplate with modelName: ${model.name}`,
    );
  }
  const failed = selection.judged.map(({ failures }) => failures[0]?.gate);
  if (failed.every((gate) => gate === "status" || gate === "scope") || selection.judged.some(mayStillPass)) {
    const message = `No template of ${model.kind} ${model.name} is ready: ${summaryOf(selection)}`;
    return { is: "waiting", message, matching };
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

/** Every candidate with its verdict, for people and for `explain`. */
function describeMatching(selection: Selection<ObservedTemplate> & Unmatched): Matching {
  const isChosen = (one: Judged<ObservedTemplate>): boolean =>
    selection.is === "chosen" && one.name === selection.best.name;
  return {
    candidates: selection.judged.map((one) => {
      const { name } = one.candidate;
      const lacks = selection.unmatched?.get(one.name);
      if (isChosen(one)) {
        const derived = lacks ? `; deriving a template from it because spec.overrides differs (${lacks})` : "";
        return { name, status: "chosen", reason: "BestMatch", message: `${standingOf(one)}${derived}` };
      }
      const reason =
        one.failures[0]?.reason ?? (one.lost === undefined ? "TemplateSelectionAmbiguous" : "LowerPreferenceRank");
      const loss = explainLoss(one) ?? "equally suitable";
      return { name, status: "rejected", reason, message: lacks ? `${loss}; ${lacks}` : loss };
    }),
  };
}

function standingOf({ candidate }: Judged<ObservedTemplate>): string {
  return candidate.scope === "Cluster" ? "best match in the cluster" : "best match in this namespace";
}
