import type { ModelReason } from "../../reasons/catalog.ts";
import type { ObservedTemplate } from "../observe.ts";

export interface ModelOutcome {
  readonly state: "Pending" | "Progressing" | "Ready" | "NotAvailable" | "Degraded" | "Failed";
  readonly reason: ModelReason;
  readonly message: string;
}

const failed = ["Failed", "Degraded"];
const underway = ["Pending", "Progressing", ""];

/** What the states of its templates mean for a model that has some. Failures come first, then what is under way. */
export function sumUpTemplates(templates: readonly ObservedTemplate[]): ModelOutcome {
  const named = (states: readonly string[]) =>
    templates.filter(({ state }) => states.includes(state)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const [bad, moving, missing] = [named(failed), named(underway), named(["NotAvailable"])];
  const all = templates.length;
  if (bad.length === all) {
    const message = `${all === 1 ? "The only template is" : `All ${all} templates are`} failing: ${causes(bad)}`;
    return { state: "Failed", reason: "AllTemplatesFailed", message };
  }
  if (bad.length > 0) {
    const message = `${bad.length} of ${all} templates ${bad.length === 1 ? "is" : "are"} failing: ${causes(bad)}`;
    return { state: "Degraded", reason: "SomeTemplatesDegraded", message };
  }
  if (moving.length > 0) {
    const message = `Waiting for ${moving.length} of ${all} templates: ${list(moving)}`;
    return { state: "Progressing", reason: "TemplatesProgressing", message };
  }
  if (missing.length === all) {
    return { state: "NotAvailable", reason: "AllTemplatesNotAvailable", message: causes(missing) };
  }
  const rest = missing.length === 0 ? "" : `; the cluster has no hardware for ${list(missing)}`;
  const message = `${all - missing.length} of ${all} templates ready${rest}`;
  return { state: "Ready", reason: "AllTemplatesReady", message };
}

const most = 5;

function list(templates: readonly ObservedTemplate[]): string {
  const names = templates.map(({ name }) => name);
  const rest = names.length - most;
  return rest > 0 ? `${names.slice(0, most).join(", ")} and ${rest} more` : names.join(", ");
}

/** Which they are and why: what they all say once, else what the first one says. */
function causes(templates: readonly ObservedTemplate[]): string {
  const reported = [...new Set(templates.flatMap(({ why }) => why ?? []))];
  const [first] = reported;
  const named = `Template ${list(templates)}`;
  const remedy = `; check ${templates.length === 1 ? "its" : "their"} conditions`;
  if (first === undefined) return `${named}${remedy}`;
  if (reported.length === 1) return `${named}: ${first}`;
  const teller = templates.find(({ why }) => why === first)?.name;
  return `${named} (${teller}: ${first})${remedy}`;
}
