import type { ServiceSummary } from "@trivium/domain";
import { findCondition, type KubeObject } from "@trivium/kube";
import type { Service } from "./service/names/names.ts";
import { isScaled, lowerReplicas } from "./service/roles/replicas.ts";
import { statusGuide } from "./status-guide.ts";

/** The template that runs a service, and its replicas; until a change of the spec is observed, the spec has their number. */
export function summarizeService(object: KubeObject): ServiceSummary {
  const service = object as Service;
  const { conditions, resolvedTemplate, runtime } = service.status ?? {};
  const observed = findCondition(conditions, statusGuide.summary)?.observedGeneration ?? 0;
  const isObserved = observed >= (service.metadata.generation ?? 0);
  const plan = lowerReplicas(service);
  const desired = isObserved || isScaled(plan) ? (runtime?.desiredReplicas ?? plan.min) : plan.min;
  return { profile: resolvedTemplate?.name, replicas: { ready: runtime?.currentReplicas ?? 0, desired } };
}
