import type { ModelReason } from "../words/catalog.ts";
import type { TemplateSeen } from "./observe.ts";

export interface ModelVerdict {
  readonly state: "Pending" | "Progressing" | "Ready" | "NotAvailable" | "Degraded" | "Failed";
  readonly reason: ModelReason;
  readonly message: string;
}

const failed = ["Failed", "Degraded"];
const underway = ["Pending", "Progressing", ""];

/** What the states of its templates mean for a model that has some. Failures come first, then what is under way. */
export function sumUpTemplates(templates: readonly TemplateSeen[]): ModelVerdict {
  const named = (states: readonly string[]) => templates.filter(({ state }) => states.includes(state));
  const [bad, moving, missing] = [named(failed), named(underway), named(["NotAvailable"])];
  const all = templates.length;
  if (bad.length === all) {
    return {
      state: "Failed",
      reason: "AllTemplatesFailed",
      message: `No template works: ${list(bad)}; look at their conditions`,
    };
  }
  if (bad.length > 0) {
    const message = `${bad.length} of ${all} templates do not work: ${list(bad)}; look at their conditions`;
    return { state: "Degraded", reason: "SomeTemplatesDegraded", message };
  }
  if (moving.length > 0) {
    const message = `${moving.length} of ${all} templates are being looked into: ${list(moving)}`;
    return { state: "Progressing", reason: "TemplatesProgressing", message };
  }
  if (missing.length === all) {
    const message = `The cluster has the hardware for none of the ${all} templates: ${list(missing)}`;
    return { state: "NotAvailable", reason: "AllTemplatesNotAvailable", message };
  }
  const rest = missing.length === 0 ? "" : `; the cluster has no hardware for ${list(missing)}`;
  const message = `${all - missing.length} of ${all} templates are ready${rest}`;
  return { state: "Ready", reason: "AllTemplatesReady", message };
}

const most = 5;

function list(templates: readonly TemplateSeen[]): string {
  const names = templates.map(({ name }) => name).sort();
  const rest = names.length - most;
  return rest > 0 ? `${names.slice(0, most).join(", ")} and ${rest} more` : names.join(", ");
}
