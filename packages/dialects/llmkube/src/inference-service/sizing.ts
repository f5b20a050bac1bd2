import type { CacheType, Memory } from "@trivium/domain";
import { cacheTypeBytes, parseGgufFacts, type SizedModel, type SizingRequest, servingStyles } from "@trivium/engines";
import { parseQuantity, quantityToNumber } from "@trivium/std";
import { type GpuPlan, gpuCount } from "../hardware/gpu-plan.ts";
import type { InferenceService } from "../kinds/inference-service.ts";
import type { Model } from "../kinds/model.ts";
import type { ServiceSeen } from "./observe.ts";

export interface Sized {
  readonly model: Model;
  readonly gpu: GpuPlan;
}

/** The question whether a service fits, as the sizing engine takes it; nothing where too little is known. */
export function sizingOf(
  service: InferenceService,
  { model, gpu }: Sized,
  seen: ServiceSeen,
): SizingRequest | undefined {
  const sized = sizedModel(model, seen);
  const memory = memoryOf(service, { model, gpu }, seen);
  return sized === undefined || memory === undefined ? undefined : requestOf(service, sized, { model, gpu, memory });
}

function sizedModel(model: Model, { header }: ServiceSeen): SizedModel | undefined {
  if (header?.is !== "known" || header.value.format !== "gguf") return undefined;
  const { tensors } = header.value;
  const weightBytes = tensors?.bytes ?? model.status?.sourceContentLength ?? undefined;
  if (weightBytes === undefined) return undefined;
  const { shape, parameters } = parseGgufFacts(header.value);
  return {
    weightBytes,
    ...(shape === undefined ? {} : { shape }),
    ...(tensors === undefined ? {} : { tensors }),
    ...(parameters === undefined ? {} : { parameters: parameters.count }),
  };
}

/** The GPUs of the best node there is, else what the Model asks of them; and the memory that was asked for. */
function memoryOf(service: InferenceService, { model, gpu }: Sized, { nodes }: ServiceSeen): Memory | undefined {
  const { memory, hostMemory } = service.spec.resources ?? {};
  const { memoryBudget, gpu: wish } = model.spec.hardware ?? {};
  const host = parseQuantity(memoryBudget ?? hostMemory ?? memory ?? model.spec.resources?.memory ?? "");
  const hostPool = host === undefined ? {} : { host: pool("memory", quantityToNumber(host)) };
  if (gpu.is === "none") return host === undefined ? undefined : { devices: [], ...hostPool };
  if (gpu.is !== "resource") return undefined;
  const told = nodes.flatMap(({ gpuBytes, resources }) =>
    gpuBytes !== undefined && (resources[gpu.resource] ?? 0) >= gpu.count ? [gpuBytes] : [],
  );
  const wanted = parseQuantity(wish?.memory ?? "");
  const bytes = told.length > 0 ? Math.max(...told) : wanted === undefined ? undefined : quantityToNumber(wanted);
  if (bytes === undefined) return undefined;
  return { devices: Array.from({ length: gpu.count }, (_, i) => pool(`GPU ${i}`, bytes)), ...hostPool };
}

const pool = (name: string, bytes: number) => ({ name, bytes });

function requestOf(
  service: InferenceService,
  sized: SizedModel,
  { model, gpu, memory }: Sized & { readonly memory: Memory },
): SizingRequest {
  const {
    contextSize,
    parallelSlots = 1,
    cacheTypeK,
    cacheTypeV,
    cacheTypeCustomK,
    cacheTypeCustomV,
    runtime,
  } = service.spec;
  const isLlama = (runtime ?? "llamacpp") === "llamacpp";
  const whole = contextSize ?? sized.shape?.contextLength ?? 4096;
  const layers = model.spec.hardware?.gpu?.layers;
  const { strategy } = model.spec.hardware?.gpu?.sharding ?? {};
  const count = Math.max(1, gpuCount(gpu));
  const isRow = strategy === "row" || strategy === "tensor" || !isLlama;
  return {
    model: sized,
    context: windowOf(service, whole),
    slots: parallelSlots,
    cache: { key: cacheType(cacheTypeCustomK ?? cacheTypeK), value: cacheType(cacheTypeCustomV ?? cacheTypeV) },
    split: isRow ? { tensor: count, pipeline: 1 } : { tensor: 1, pipeline: count },
    ...(typeof layers === "number" && layers >= 0 ? { deviceLayers: layers } : {}),
    style: isLlama ? servingStyles.llamacpp : servingStyles.paged,
    memory,
  };
}

/** What one request can see of a context: llama.cpp divides it between its slots. */
export function windowOf(
  { spec: { runtime = "llamacpp", parallelSlots = 1 } }: InferenceService,
  whole: number,
): number {
  return Math.max(1, runtime === "llamacpp" ? Math.floor(whole / parallelSlots) : whole);
}

/** What nobody knows the size of counts as what is used without a wish. */
const cacheType = (name: string | undefined): CacheType =>
  name !== undefined && Object.hasOwn(cacheTypeBytes, name) ? (name as CacheType) : "f16";
