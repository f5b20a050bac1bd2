import type { CacheType, Memory, MemoryShare, SizingAnswer } from "@trivium/domain";
import {
  cacheTypeBytes,
  formatMemory,
  parseGgufFacts,
  planAlternatives,
  planMemory,
  type SizedModel,
  type SizingRequest,
  servingStyles,
} from "@trivium/engines";
import { parseQuantity, quantityToNumber } from "@trivium/std";
import { type GpuPlan, gpuCount } from "../hardware/gpu-plan.ts";
import type { InferenceService } from "../kinds/inference-service.ts";
import type { Model } from "../kinds/model.ts";
import type { ServiceSeen } from "./observe.ts";

/** Whether weights, cache and working memory fit what is asked for, with the sum, and what would fit instead. */
export interface FitReport {
  readonly fits: boolean;
  readonly message: string;
}

interface Fitting {
  readonly model: Model;
  readonly gpu: GpuPlan;
}

/** Nothing where too little is known: what the file is, or how much memory there is. */
export function planFit(service: InferenceService, { model, gpu }: Fitting, seen: ServiceSeen): FitReport | undefined {
  const sized = sizedModel(model, seen);
  const memory = memoryOf(service, { model, gpu }, seen);
  if (sized === undefined || memory === undefined) return undefined;
  const request = requestOf(service, sized, { model, gpu, memory });
  const answer = planMemory(request);
  if (answer.is === "impossible") return { fits: false, message: answer.why };
  if (answer.fits === "unknown") return undefined;
  const sum = sumOf(answer);
  if (answer.fits === "yes") return { fits: true, message: sum };
  const ways = planAlternatives(request).map(({ words }) => words);
  const instead = ways.length === 0 ? "Nothing smaller of it would fit" : `What would fit: ${ways.join("; or ")}`;
  return { fits: false, message: `${sum}. ${instead}` };
}

/** The sum in one line, each place with its terms. */
function sumOf({ shares }: Extract<SizingAnswer, { is: "sized" }>): string {
  const partOf = ({ place, times, terms, bytes, available }: MemoryShare): string => {
    const where = place === "host" ? "memory" : times === 1 ? "the GPU" : `each of ${times} GPUs`;
    const of = available === undefined ? "" : ` of ${formatMemory(available)}`;
    const parts = terms.map((term) => `${term.what} ${formatMemory(term.bytes)}`).join(" + ");
    return `${formatMemory(bytes)}${of} on ${where} (${parts})`;
  };
  return `Takes ${shares.map(partOf).join(" and ")}`;
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

/** The best node there is, or the memory that was asked for. */
function memoryOf(service: InferenceService, { model, gpu }: Fitting, { nodes }: ServiceSeen): Memory | undefined {
  const { memory, hostMemory } = service.spec.resources ?? {};
  const asked = model.spec.hardware?.memoryBudget ?? hostMemory ?? memory ?? model.spec.resources?.memory ?? "";
  const host = parseQuantity(asked);
  if (gpu.is === "none")
    return host === undefined ? undefined : { devices: [], host: pool("memory", quantityToNumber(host)) };
  if (gpu.is !== "resource") return undefined;
  const able = nodes.filter(({ resources }) => (resources[gpu.resource] ?? 0) >= gpu.count);
  const best = able.toSorted((a, b) => b.gpuBytes - a.gpuBytes || (a.name < b.name ? -1 : 1))[0];
  if (best === undefined) return undefined;
  const devices = Array.from({ length: gpu.count }, (_, i) => pool(`${best.name} ${i}`, best.gpuBytes));
  return { devices, ...(host === undefined ? {} : { host: pool("memory", quantityToNumber(host)) }) };
}

const pool = (name: string, bytes: number) => ({ name, bytes });

function requestOf(
  service: InferenceService,
  sized: SizedModel,
  { model, gpu, memory }: Fitting & { readonly memory: Memory },
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
    // llama.cpp divides its context between the slots.
    context: Math.max(1, isLlama ? Math.floor(whole / parallelSlots) : whole),
    slots: parallelSlots,
    cache: { key: cacheType(cacheTypeCustomK ?? cacheTypeK), value: cacheType(cacheTypeCustomV ?? cacheTypeV) },
    split: isRow ? { tensor: count, pipeline: 1 } : { tensor: 1, pipeline: count },
    ...(typeof layers === "number" && layers >= 0 ? { deviceLayers: layers } : {}),
    style: isLlama ? servingStyles.llamacpp : servingStyles.paged,
    memory,
  };
}

/** What nobody knows the size of counts as what is used without a wish. */
const cacheType = (name: string | undefined): CacheType =>
  name !== undefined && Object.hasOwn(cacheTypeBytes, name) ? (name as CacheType) : "f16";
