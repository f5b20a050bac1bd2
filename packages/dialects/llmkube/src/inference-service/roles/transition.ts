import { Deployment } from "@trivium/kube";
import type { Patch } from "@trivium/reconcile";
import { deepEqual } from "@trivium/std";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { selectorOf } from "../names/service-names.ts";
import type { ObservedService } from "../observe.ts";
import { shieldPods } from "./disruption.ts";
import { evictionOf, type LifetimePlan } from "./pod-lifetime.ts";

/** The selector of a Deployment cannot change, so one with another selector (of an older operator) is deleted and created again. */
export function isOutdated(service: InferenceService, { deployment }: ObservedService): boolean {
  return deployment.is === "known" && !deepEqual(deployment.value.selector, selectorOf(service));
}

/** What is changed of pods and of an outdated Deployment, besides what should be. */
export function planPatches(service: InferenceService, observed: ObservedService, lifetime: LifetimePlan): Patch[] {
  return [...removal(service, observed), ...shieldPods(service, observed), ...evictionOf(service, lifetime)];
}

function removal(service: InferenceService, observed: ObservedService): Patch[] {
  const { deployment } = observed;
  if (deployment.is !== "known" || !isOutdated(service, observed)) return [];
  const { namespace, name = "" } = service.metadata;
  return [{ patch: "delete", kind: Deployment, ref: { namespace, name }, uid: deployment.value.uid }];
}
