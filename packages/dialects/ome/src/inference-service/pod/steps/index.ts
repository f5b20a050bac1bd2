import type { PodPlan } from "@trivium/domain";
import { announceMetrics } from "./metrics.ts";
import { decryptModel } from "./model-init.ts";
import type { PodStep, PodStepContext } from "./pod-step.ts";
import { openRdma } from "./rdma.ts";
import { addSidecar } from "./serving-sidecar.ts";

export { type PodStepContext, PodStepRefusal } from "./pod-step.ts";

/** In this order. Each does nothing unless annotations or the administrator ask for it. */
const steps: readonly PodStep[] = [announceMetrics, decryptModel, addSidecar, openRdma];

/** What others do to pods when they come to be is done here to their template: so it is seen before, and changes roll out. */
export const takePodSteps = (pod: PodPlan, context: PodStepContext): PodPlan =>
  steps.reduce((changed, step) => step(changed, context), pod);
