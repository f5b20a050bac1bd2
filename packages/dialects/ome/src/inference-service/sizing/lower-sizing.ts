import type { MemoryPool, SizingIntent } from "@trivium/domain";
import { hasOpenHostMemory, type ObservedGpu, planSizing, servingStyles } from "@trivium/engines";
import type { api } from "@trivium/kube";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { parseModelSize } from "../../selection/model-size.ts";
import type { ObservedModel } from "../observed/model.ts";
import type { ObservedService } from "../observed/service.ts";
import { classOf } from "../pod/accelerator/index.ts";
import { engineFamilyOf } from "../pod/engine-family.ts";
import type { ComponentPlan } from "../roles/component-plan.ts";
import { podOf } from "../roles/role.ts";
import { hasServed } from "./has-served.ts";

interface SizingInput {
  readonly service: InferenceService;
  readonly model: ObservedModel;
  readonly components: readonly ComponentPlan[];
  readonly observed: ObservedService;
}

/** The question whether the model fits where it is to run; nothing where the size of its weights or all memory is unknown. */
export function lowerSizing({ service, model, components, observed }: SizingInput): SizingIntent | undefined {
  const engine = components.find(({ name }) => name === "engine");
  const server = engine && serverOf(engine);
  // What runs fits, whatever the figures say.
  if (engine === undefined || server === undefined || hasServed(service, observed)) return undefined;
  // Neither the size of merged weights is known, which are other files, nor what an engine makes of weights that it converts.
  if (model.weights?.is === "merged" || convertsWeights(server)) return undefined;
  const devices = devicesOf(server, engine, observed.gpus ?? []);
  const family = engineFamilyOf(server);
  const nodeBytes = isOnHost(service, engine, server) ? observed.nodeBytes : undefined;
  const weights = weightsOf(model);
  const request = planSizing({
    ...weights.facts,
    gpus: { count: devices.length, bytes: devices[0]?.bytes },
    host: nodeBytes === undefined ? undefined : { name: "the largest node", bytes: nodeBytes },
    style: devices.length === 0 || family === "llama.cpp" ? servingStyles.local : servingStyles.paged,
  });
  if (request === undefined) return undefined;
  return {
    request: devices.length === 0 ? request : { ...request, memory: { ...request.memory, devices } },
    subject: `Model ${model.name}${weights.basis}`,
    ...(weights.isLowerBound ? { isLowerBound: true as const } : {}),
    field: "spec.engine.runner.resources.requests.memory",
    gpuField: "spec.engine.runner.resources",
    nodeBytes,
    ...(family === "vllm" || family === "sglang" ? { isDeviceOnly: true as const } : {}),
    hasServed: false,
  };
}

interface DeclaredWeights {
  readonly facts: Pick<Parameters<typeof planSizing>[0], "weightBytes" | "parameters" | "precision">;
  /** What the size follows from, where no file says it. */
  readonly basis: string;
  readonly isLowerBound: boolean;
}

/** No quantization that engines serve is smaller. */
const smallest = "int4";
const precisions: Readonly<Record<string, string>> = { fp8: "fp8", fbgemm_fp8: "fp8", int8: "int8", int4: "int4" };

/** The size that files or a download report; before anything is downloaded the one that follows from what the model declares. */
function weightsOf({ weightBytes, traits }: ObservedModel): DeclaredWeights {
  const { modelParameterSize = "", quantization = "" } = traits;
  const parameters = parseModelSize(modelParameterSize);
  if (weightBytes !== undefined) return { facts: { weightBytes, parameters }, basis: "", isLowerBound: false };
  const precision = Object.hasOwn(precisions, quantization) ? precisions[quantization] : undefined;
  const basis = ` with ${modelParameterSize} parameters`;
  return precision === undefined
    ? { facts: { parameters, precision: smallest }, basis: `${basis}, even with 4 bits each,`, isLowerBound: true }
    : { facts: { parameters, precision }, basis: `${basis} (${quantization})`, isLowerBound: false };
}

/** The container that is told where the model is. */
const serverOf = (component: ComponentPlan): api.Container | undefined =>
  podOf(component).spec.containers.find(({ env = [] }) => env.some(({ name }) => name === "MODEL_PATH"));

/** Whether each replica loads all weights into the memory of one node. Groups share them out. */
function isOnHost(service: InferenceService, component: ComponentPlan, server: api.Container): boolean {
  if (component.mode === "MultiNode" || classOf(service, component.name) !== undefined) return false;
  return hasOpenHostMemory(server.resources) && hasOpenHostMemory(podOf(component).spec.resources);
}

/** The GPUs of one replica, each as large as the largest that a node has of the resource; none where no node reports its memory. */
function devicesOf(server: api.Container, component: ComponentPlan, gpus: readonly ObservedGpu[]): MemoryPool[] {
  const { limits = {}, requests = {} } = server.resources ?? {};
  const resource = ["nvidia.com/gpu", "amd.com/gpu"].find((name) => (limits[name] ?? requests[name]) !== undefined);
  if (resource === undefined) return [];
  const count = Number(limits[resource] ?? requests[resource]);
  const pods = component.mode === "MultiNode" ? component.group.size : 1;
  const [largest] = gpus
    .filter(({ most, vramBytes }) => (most[resource] ?? 0) > 0 && vramBytes !== undefined)
    .toSorted((a, b) => (b.vramBytes ?? 0) - (a.vramBytes ?? 0));
  if (largest?.vramBytes === undefined || !Number.isInteger(count) || count < 1) return [];
  const { model: name, vramBytes: bytes } = largest;
  return Array.from({ length: count * pods }, () => ({ name, bytes }));
}

/** Whether the engine holds less on its GPUs than the files have: it converts them while it loads, or leaves a part to the CPU. */
const convertsWeights = ({ command = [], args = [] }: api.Container): boolean =>
  /quantiz|offload|load-format|torchao|bitsandbytes|--dtype/i.test([...command, ...args].join(" "));
