import type { ServiceSummary } from "@trivium/domain";
import { findCondition, type KubeObject } from "@trivium/kube";
import type { InferenceService } from "./kinds/inference-service.ts";
import { statusGuide } from "./status-guide.ts";

/** The engine that runs a service, and its replicas; until a change of the spec is observed, the spec has their number. */
export function summarizeService(object: KubeObject): ServiceSummary {
  const { metadata, spec, status = {} } = object as InferenceService;
  const { conditions, readyReplicas: ready = 0, desiredReplicas } = status;
  const observed = findCondition(conditions, statusGuide.summary)?.observedGeneration ?? 0;
  const isObserved = observed >= (metadata.generation ?? 0);
  const requested = spec.suspend === true ? 0 : (spec.replicas ?? 1);
  const desired = isObserved || isScaled(spec) ? (desiredReplicas ?? requested) : requested;
  return { profile: spec.runtime ?? "llamacpp", replicas: { ready, desired } };
}

/** An autoscaler sets the number, unless the service is stopped. */
const isScaled = ({ autoscaling, suspend, replicas }: InferenceService["spec"]): boolean =>
  autoscaling !== undefined && suspend !== true && replicas !== 0;
