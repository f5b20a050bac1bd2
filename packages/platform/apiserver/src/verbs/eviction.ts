import { type AnyObject, type ApiResponse, matchesLabels, selectorOf } from "@trivium/kube";
import { isObject, type JsonObject } from "@trivium/std";
import type { Call } from "../call.ts";
import { readBody } from "../decode.ts";
import { deleteStored } from "../deletion.ts";
import { badRequest, notFound, refusal } from "../refusals.ts";
import { respond } from "../respond.ts";
import { objectAt } from "../storage.ts";
import type { Stored } from "../store/store.ts";

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

interface Budget {
  readonly stored: Stored;
  readonly object: AnyObject;
}

/** Takes one disruption from the pod's budget, or refuses with 429. */
function budgetFor(call: Call, pod: AnyObject): (() => Promise<unknown>) | undefined {
  const { registry, storage } = call.backend;
  const resource = registry.storageOf("poddisruptionbudgets.policy");
  if (resource === undefined) return undefined;
  const budgets: Budget[] = [];
  for (const stored of storage.store.list("poddisruptionbudgets.policy", { namespace: call.namespace })) {
    const object = objectAt(resource, stored);
    const { selector } = object.spec as { selector?: JsonObject };
    if (selector === undefined) continue;
    if (matchesLabels(selectorOf(selector as Parameters<typeof selectorOf>[0]), pod.metadata.labels ?? {}))
      budgets.push({ stored, object });
  }
  if (budgets.length > 1) {
    throw refusal(
      500,
      "InternalError",
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    );
  }
  const [budget] = budgets;
  if (budget === undefined) return undefined;
  const status = (budget.object.status ?? {}) as {
    disruptionsAllowed?: number;
    currentHealthy?: number;
    desiredHealthy?: number;
  };
  const allowed = status.disruptionsAllowed ?? 0;
  if (allowed < 1) throw refuseFor(budget.object, status);
  budget.object.status = { ...status, disruptionsAllowed: allowed - 1 };
  return () => storage.put(resource, budget.object, budget.stored.revision);
}

function refuseFor(budget: AnyObject, status: { currentHealthy?: number; desiredHealthy?: number }) {
  const message = `The disruption budget ${budget.metadata.name} needs ${status.desiredHealthy ?? 0} healthy pods and has ${status.currentHealthy ?? 0} currently`;
  return refusal(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: "DisruptionBudget", message }],
  });
}
