import type { PodPlan } from "@trivium/domain";
import { describeHostMisfit, hasOpenHostMemory } from "@trivium/engines";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { ObservedModel } from "../observed/model.ts";
import type { ObservedService } from "../observed/service.ts";
import { classOf } from "../pod/accelerator/index.ts";
import type { ComponentPlan } from "../roles/component-plan.ts";

interface HostFitInput {
  readonly service: InferenceService;
  readonly model: ObservedModel;
  readonly components: readonly ComponentPlan[];
  readonly observed: ObservedService;
}

/** Whether the engine answers, or did: that is proof that it fits, whatever figures say. */
export function hasServed({ status }: InferenceService, { pods }: Pick<ObservedService, "pods">): boolean {
  const before = status?.modelStatus?.modelRevisionStates?.activeModelState;
  return before === "Loaded" || before === "Standby" || pods.engine.some(({ isReady }) => isReady);
}

/**
 * Why no node can hold the weights in its memory; nothing where one can, too little is known, or the engine has served. A Deployment proves nothing:
 * it is created while the size of the model is still unknown.
 */
export function findHostMisfit({ service, model, components, observed }: HostFitInput): string | undefined {
  // Merged weights are other files, whose size is not known.
  if (hasServed(service, observed) || model.weights?.is === "merged") return undefined;
  const found = components.find((one) => classOf(service, one.name) === undefined && isOnOneNode(one));
  if (found === undefined) return undefined;
  return describeHostMisfit({
    of: `Model ${model.name}`,
    field: `spec.${found.name}.runner.resources.requests.memory`,
    weightBytes: model.weightBytes,
    nodeBytes: observed.nodeBytes,
  });
}

/** Whether each copy loads all weights into the memory of one node. Groups share them out. */
function isOnOneNode(component: ComponentPlan): boolean {
  if (component.name === "router" || component.mode === "MultiNode") return false;
  const { spec } = podOf(component);
  const server = spec.containers.find(({ env = [] }) => env.some(({ name }) => name === "MODEL_PATH"));
  return server !== undefined && hasOpenHostMemory(server.resources) && hasOpenHostMemory(spec.resources);
}

const podOf = (component: Exclude<ComponentPlan, { mode: "MultiNode" }>): PodPlan =>
  component.mode === "Serverless" ? component.serverless.pod : component.workload.pod;
