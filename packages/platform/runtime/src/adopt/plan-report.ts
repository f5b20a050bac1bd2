import { ConfigMap, isReason, type KubeClient } from "@trivium/kube";
import type { Cancel, Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { PolicyRule } from "../permissions.ts";
import { phrases } from "./plan.ts";
import type { PlannedTakeOver, TakeOverPlans } from "./plans.ts";

/** The ConfigMap with the plan of a take-over, in the namespace of the operator. */
export const planReportName = "trivium-take-over-plan";

/** What reading, writing and deleting it takes, in that namespace. A right to create cannot name an object. */
export const planReportPermissions: readonly PolicyRule[] = [
  { apiGroups: [""], resources: ["configmaps"], verbs: ["create"] },
  { apiGroups: [""], resources: ["configmaps"], resourceNames: [planReportName], verbs: ["delete", "get", "patch"] },
];

export interface PlanReportOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly namespace: string;
  readonly plans: TakeOverPlans;
}

/** At the start every object is planned within a moment: one write for all of them. */
const delay = 1_000;
const managedBy = "app.kubernetes.io/managed-by";
/** A ConfigMap holds 1 MiB. */
const maxCharacters = 700_000;

/** Keeps the plan of a take-over where kubectl can read it: Events are gone after an hour. */
export class PlanReport {
  readonly #options: PlanReportOptions;
  readonly #ref: { readonly namespace: string; readonly name: string };
  #cancel: Cancel | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: PlanReportOptions) {
    this.#options = options;
    this.#ref = { namespace: options.namespace, name: planReportName };
  }

  /** Something about the plan has changed, or this process leads from now on. */
  change(): void {
    this.#cancel ??= this.#options.clock.schedule(delay, () => this.#flush());
  }

  /** With another policy there is no plan: what a former process has written is not true any more. */
  remove(): void {
    this.#writing = this.#writing.then(() => this.#try(() => this.#remove()));
  }

  /** Read first: a start writes nothing where there is nothing to remove. */
  async #remove(): Promise<void> {
    const { client } = this.#options;
    const { metadata } = await client.get(ConfigMap, this.#ref);
    if (metadata.labels?.[managedBy] === "trivium") await client.delete(ConfigMap, this.#ref);
  }

  async stop(): Promise<void> {
    if (this.#cancel !== undefined) this.#flush();
    await this.#writing;
  }

  #flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#writing = this.#writing.then(() => this.#try(() => this.#write()));
  }

  async #write(): Promise<void> {
    const { client, plans } = this.#options;
    const metadata = { ...this.#ref, labels: { [managedBy]: "trivium" } };
    const object: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata, data: describePlans([...plans.all()]) };
    await client.apply(ConfigMap, object, { fieldManager: "trivium-take-over", force: true });
  }

  async #try(write: () => Promise<unknown>): Promise<void> {
    const { log, namespace } = this.#options;
    try {
      await write();
    } catch (error) {
      if (isReason(error, "NotFound")) return;
      log.warn({ err: error }, `cannot write ConfigMap ${namespace}/${planReportName}`);
    }
  }
}

/** A summary, and the steps for each object, by the name of the reconciler. */
export function describePlans(plans: readonly PlannedTakeOver[]): Record<string, string> {
  const byReconciler = Map.groupBy(plans, ({ reconciler }) => reconciler);
  const names = [...byReconciler.keys()].sort();
  const room = maxCharacters / Math.max(1, names.length);
  const texts = names.map((name) => [name, describeAll(byReconciler.get(name) ?? [], room)]);
  return { policy: "plan", summary: summarize(plans), ...Object.fromEntries(texts) };
}

function summarize(plans: readonly PlannedTakeOver[]): string {
  if (plans.length === 0) return "No objects of an upstream operator found; nothing to take over";
  const steps = plans.flatMap((plan) => plan.steps);
  const counts = [...Map.groupBy(steps, ({ outcome }) => outcome)].map(([outcome, all]) => `${all.length} ${outcome}`);
  const objects = `${plans.length} ${plans.length === 1 ? "object" : "objects"}`;
  return `${objects} of an upstream operator; of what it created: ${counts.sort().join(", ") || "nothing"}`;
}

/** As many as there is room for. */
function describeAll(plans: readonly PlannedTakeOver[], room: number): string {
  const blocks = plans.map(describePlan).sort();
  const whole = blocks.join("");
  if (whole.length <= room) return whole;
  const shown = blocks.slice(0, Math.floor((blocks.length * room) / whole.length / 2));
  return `${shown.join("")}${blocks.length - shown.length} more; run trivium adopt --plan\n`;
}

function describePlan({ object, steps }: PlannedTakeOver): string {
  const lines = steps.map((step) => `  ${phrases[step.outcome]} ${step.object}`);
  return `${[object, ...(lines.length === 0 ? ["  changes the status only"] : lines)].join("\n")}\n`;
}
