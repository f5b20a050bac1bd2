import type { MemoryPool, SizingIntent } from "@trivium/domain";
import {
  engineFamilyOf,
  hostMemoryOf,
  type ObservedGpu,
  parseSizingArguments,
  planSizing,
  servingStyles,
  sizedModelOf,
  weightBytesOf,
} from "@trivium/engines";
import type { api } from "@trivium/kube";
import { type ChosenClasses, memoryBytesOf, type ObservedClass } from "../../accelerators/index.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { type DeclaredWeights, lowerWeights } from "../../model/weights/declared-weights.ts";
import type { ObservedModel } from "../observed/model.ts";
import type { ObservedService } from "../observed/service.ts";
import type { ComponentPlan } from "../roles/component-plan.ts";
import { podOf } from "../roles/role.ts";
import { hasServed, isFitKnown } from "./has-served.ts";

interface SizingInput {
  readonly service: InferenceService;
  readonly model: ObservedModel;
  readonly components: readonly ComponentPlan[];
  readonly observed: ObservedService;
  readonly accelerators: ChosenClasses;
}

/** The question whether the model fits where it is to run, or why it cannot be asked. */
export interface LoweredSizing {
  readonly sizing?: SizingIntent | undefined;
  readonly unsized?: string | undefined;
}

export function lowerSizing({ service, model, components, observed, accelerators }: SizingInput): LoweredSizing {
  const engine = components.find(({ name }) => name === "engine");
  const server = engine && serverOf(engine);
  if (engine === undefined || isFitKnown(service, observed)) return {};
  if (server === undefined) return { unsized: "Unknown: no container of the engine uses MODEL_PATH" };
  if (model.weights?.is === "merged")
    return { unsized: `Unknown: the size of merged weights ${model.weights.weight.name} is not listed` };
  if (convertsWeights(server))
    return { unsized: "Unknown: the engine converts or offloads weights while it loads them" };
  const devices = devicesOf(server, engine, observed.gpus ?? [], accelerators.engine?.found);
  const family = engineFamilyOf(server);
  const isOnCpu = accelerators.engine === undefined && engine.mode !== "MultiNode";
  const host = isOnCpu ? hostOf(engine, server, observed.nodeBytes) : undefined;
  const weights = lowerWeights(model.weightBytes, model.traits);
  const request = planSizing({
    ...weights.facts,
    ...(model.measured === undefined ? {} : { model: sizedModelOf(model.measured) }),
    ...parseSizingArguments(family, [...(server.command ?? []), ...(server.args ?? [])]),
    gpus: { count: devices.length, bytes: devices[0]?.bytes },
    host,
    style: devices.length === 0 || family === "llama.cpp" ? servingStyles.local : servingStyles.paged,
  });
  if (request === undefined) return { unsized: whyUnsized(model, server, weights) };
  const sizing: SizingIntent = {
    request: devices.length === 0 ? request : { ...request, memory: { ...request.memory, devices } },
    subject: `Model ${model.name}${weights.basis}`,
    ...(weights.isLowerBound ? { isLowerBound: true as const } : {}),
    field: "spec.engine.runner.resources.requests.memory",
    gpuField: "spec.engine.runner.resources",
    nodeBytes: host?.request === undefined ? host?.bytes : undefined,
    ...(family === "vllm" || family === "sglang" ? { isDeviceOnly: true as const } : {}),
    hasServed: hasServed(service, observed),
  };
  return { sizing, ...(weights.isLowerBound ? { unsized: sizeUnknown(model) } : {}) };
}

const sizeUnknown = ({ name }: ObservedModel): string =>
  `Unknown until the files of model ${name} are listed; set modelParameterSize and quantization of the model to know earlier`;

function whyUnsized(model: ObservedModel, server: api.Container, { facts }: DeclaredWeights): string {
  if (weightBytesOf(facts) === undefined) return sizeUnknown(model);
  if (resourceOf(server) !== undefined) return "Unknown: no node reports the memory of its GPUs";
  return "Not compared: the engine does not run in the memory of one node, or no node reports its memory";
}

/** The container that is told where the model is. */
export const serverOf = (component: ComponentPlan): api.Container | undefined =>
  podOf(component).spec.containers.find(({ env = [] }) => env.some(({ name }) => name === "MODEL_PATH"));

/** The memory of a node that the server gets; what the pod states as a whole counts as well. */
function hostOf(component: ComponentPlan, server: api.Container, nodeBytes: number | undefined) {
  const { requests, limits, claims } = podOf(component).spec.resources ?? {};
  const own = server.resources ?? {};
  const resources = {
    requests: { ...own.requests, ...requests },
    limits: { ...own.limits, ...limits },
    claims: [...(own.claims ?? []), ...(claims ?? [])],
  };
  return nodeBytes === undefined ? undefined : hostMemoryOf(resources, nodeBytes);
}

/** The resource by which it requests GPUs. */
const resourceOf = ({ resources: { limits = {}, requests = {} } = {} }: api.Container): string | undefined =>
  ["nvidia.com/gpu", "amd.com/gpu"].find((name) => (limits[name] ?? requests[name]) !== undefined);

/**
 * The GPUs of one replica, each as large as its class says, else as the largest that a node has of the resource; none where neither is
 * known.
 */
function devicesOf(
  server: api.Container,
  component: ComponentPlan,
  gpus: readonly ObservedGpu[],
  found: ObservedClass | undefined,
): MemoryPool[] {
  const { limits = {}, requests = {} } = server.resources ?? {};
  const resource = resourceOf(server);
  if (resource === undefined) return [];
  const count = Number(limits[resource] ?? requests[resource]);
  const pods = component.mode === "MultiNode" ? component.group.size : 1;
  const bytesOfClass = found && memoryBytesOf(found.spec);
  const [largest] = gpus
    .filter(({ most, vramBytes }) => (most[resource] ?? 0) > 0 && vramBytes !== undefined)
    .toSorted((a, b) => (b.vramBytes ?? 0) - (a.vramBytes ?? 0));
  const bytes = bytesOfClass ?? largest?.vramBytes;
  if (bytes === undefined || !Number.isInteger(count) || count < 1) return [];
  const name = (bytesOfClass === undefined ? largest?.model : found?.spec.model) ?? found?.name ?? "GPU";
  return Array.from({ length: count * pods }, () => ({ name, bytes }));
}

/** Whether the engine holds less on its GPUs than the files have: it converts them while it loads, or leaves a part to the CPU. */
const convertsWeights = ({ command = [], args = [] }: api.Container): boolean =>
  /quantiz|offload|load-format|torchao|bitsandbytes|--dtype/i.test([...command, ...args].join(" "));
