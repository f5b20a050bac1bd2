import { type AnyObject, type ApiResponse, matchesLabels, selectorOf } from "@trivium/kube";
import { formatTime, isObject } from "@trivium/std";
import { readBody } from "../../body/decode.ts";
import type { Call } from "../../call.ts";
import { badRequest, notFound, refusal } from "../../refusals.ts";
import { respond } from "../../respond.ts";
import { deleteStored } from "../../storage/deletion.ts";
import { objectAt } from "../../storage/storage.ts";

/** `pods/eviction`: a deletion that a disruption budget may forbid for now. */
export async function evict(call: Call): Promise<ApiResponse> {
  const { backend, resource } = call;
  const options = optionsOf(call);
  const stored = backend.storage.get(resource, call.namespace, call.name);
  if (stored === undefined) throw notFound(resource, call.name);
  const pod = objectAt(resource, stored);
  const spend = canGoFreely(pod) ? undefined : budgetFor(call, pod);
  if (!options.dryRun) await spend?.();
  await deleteStored(backend, resource, stored, options);
  const success = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
  return respond(call, 201, JSON.stringify(success));
}

function optionsOf(call: Call): { gracePeriodSeconds?: number; dryRun: boolean; preconditions?: { uid?: string } } {
  const { value } = readBody({ kind: "Eviction" }, call.request.body ?? "", call.request.headers["content-type"]);
  if (!isObject(value)) throw badRequest("Eviction must be an object");
  const { apiVersion = "policy/v1" } = value;
  if (apiVersion !== "policy/v1") throw badRequest(`Eviction in version "${String(apiVersion)}" cannot be handled`);
  const { name } = isObject(value.metadata) ? value.metadata : {};
  if (name !== undefined && name !== call.name) throw badRequest("name in URL does not match name in Eviction object");
  const options = isObject(value.deleteOptions) ? value.deleteOptions : {};
  const preconditions = isObject(options.preconditions) ? options.preconditions : {};
  return {
    dryRun: call.query.has("dryRun") || Array.isArray(options.dryRun),
    ...(typeof options.gracePeriodSeconds === "number" ? { gracePeriodSeconds: options.gracePeriodSeconds } : {}),
    ...(typeof preconditions.uid === "string" ? { preconditions: { uid: preconditions.uid } } : {}),
  };
}

function canGoFreely(pod: AnyObject): boolean {
  const { phase } = (pod.status ?? {}) as { phase?: string };
  return (
    pod.metadata.deletionTimestamp !== undefined || phase === "Succeeded" || phase === "Failed" || phase === "Pending"
  );
}

/** Takes one disruption from the pod's budget, or refuses with 429. */
function budgetFor(call: Call, pod: AnyObject): (() => Promise<unknown>) | undefined {
  const { registry, storage, now } = call.backend;
  const resource = registry.storageOf("poddisruptionbudgets.policy");
  if (resource === undefined) return undefined;
  const budgets = Array.from(
    storage.store.list("poddisruptionbudgets.policy", { namespace: call.namespace }),
    (stored) => ({
      stored,
      object: objectAt(resource, stored),
    }),
  ).filter(({ object }) => covers(object, pod));
  const [budget] = budgets;
  if (budget === undefined) return undefined;
  if (budgets.length > 1) {
    const why = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    throw refusal(500, "InternalError", why);
  }
  const { object, stored } = budget;
  if (!isReady(pod) && letsUnwellGo(object)) return undefined;
  object.status = spent(object, pod.metadata.name ?? "", formatTime(now())) as never;
  return () => storage.put(resource, object, stored.revision);
}

function isReady(pod: AnyObject): boolean {
  const { conditions = [] } = (pod.status ?? {}) as { conditions?: { type: string; status: string }[] };
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}

/** A pod that does not serve costs nothing, where the budget says so or has enough others. */
function letsUnwellGo(budget: AnyObject): boolean {
  const { unhealthyPodEvictionPolicy } = budget.spec as { unhealthyPodEvictionPolicy?: string };
  const { currentHealthy = 0, desiredHealthy = 0 } = (budget.status ?? {}) as BudgetStatus;
  return unhealthyPodEvictionPolicy === "AlwaysAllow" || (currentHealthy >= desiredHealthy && desiredHealthy > 0);
}

function covers(budget: AnyObject, pod: AnyObject): boolean {
  const { selector } = budget.spec as { selector?: Parameters<typeof selectorOf>[0] };
  return selector !== undefined && matchesLabels(selectorOf(selector), pod.metadata.labels);
}

interface BudgetStatus {
  readonly observedGeneration?: number;
  readonly disruptionsAllowed?: number;
  readonly currentHealthy?: number;
  readonly desiredHealthy?: number;
  readonly disruptedPods?: Readonly<Record<string, string>>;
}

/** The status of a budget after one more pod went. */
function spent(budget: AnyObject, pod: string, now: string): BudgetStatus {
  const status = (budget.status ?? {}) as BudgetStatus;
  const { name, generation = 0 } = budget.metadata;
  if ((status.observedGeneration ?? 0) < generation) {
    throw overspent(`The disruption budget ${name} is still being processed by the server.`, { retryAfterSeconds: 10 });
  }
  const allowed = status.disruptionsAllowed ?? 0;
  if (allowed < 1) {
    const { desiredHealthy = 0, currentHealthy = 0 } = status;
    throw overspent(
      `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
      {},
    );
  }
  return { ...status, disruptionsAllowed: allowed - 1, disruptedPods: { ...status.disruptedPods, [pod]: now } };
}

function overspent(message: string, retry: { retryAfterSeconds?: number }) {
  return refusal(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: "DisruptionBudget", message }],
    ...retry,
  });
}
