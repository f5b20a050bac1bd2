import type { CacheType, Memory, SizingIntent } from "@trivium/domain";
import {
  cacheTypeBytes,
  countFreeSlots,
  type SizedModel,
  type SizingRequest,
  servingStyles,
  sizedModelOf,
} from "@trivium/engines";
import { parseQuantity, quantityToNumber } from "@trivium/std";
import { type GpuPlan, gpuCount } from "../../hardware/gpu-plan.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { Model } from "../../kinds/model.ts";
import type { LlmkubeOptions } from "../../options.ts";
import type { ObservedService } from "../observe.ts";

export interface Sized {
  readonly model: Model;
  readonly gpu: GpuPlan;
  /** The Model that guesses tokens ahead. */
  readonly draft?: Model | undefined;
  readonly slotContexts: LlmkubeOptions["slotContexts"];
}

/** The question whether a service fits, as the sizing engine takes it; nothing where too little is known. */
export function sizingOf(
  service: InferenceService,
  { model, gpu, draft, slotContexts }: Sized,
  observed: ObservedService,
): SizingIntent | undefined {
  const sized = withDraft(sizedModel(model), draft);
  const memory = memoryOf(service, { model, gpu }, observed);
  if (sized === undefined || memory === undefined) return undefined;
  // Memory that is written down means that weights are paged from the disk.
  const isWritten = writtenMemory(service, model, observed.hostBytes) !== undefined;
  return {
    request: requestOf(service, sized, { model, gpu, memory, slotContexts }),
    subject: `Model ${model.metadata.name}`,
    field: "spec.resources.memory",
    nodeBytes: gpu.is === "none" && !isWritten ? observed.hostBytes : undefined,
    hasServed: observed.deployment.is === "known",
  };
}

/** Both are loaded. The draft's own cache is small, and is left to the reserve. */
function withDraft(sized: SizedModel | undefined, draft: Model | undefined): SizedModel | undefined {
  const beside = draft === undefined ? 0 : (sizedModel(draft)?.weightBytes ?? 0);
  return sized === undefined || beside === 0 ? sized : { ...sized, weightBytes: sized.weightBytes + beside };
}

/** From what the Model reports: its header is read once, so a program that reads only the API computes the same. */
function sizedModel({ status }: Model): SizedModel | undefined {
  const { tensorBytes, ...measured } = status?.weights ?? {};
  // The size alone is enough for an estimate before anything is downloaded.
  const weightBytes = tensorBytes ?? storedBytesOf(status);
  if (weightBytes === undefined) return undefined;
  return { weightBytes, ...sizedModelOf(measured) };
}

/** The GPUs of the best node there is, else what the Model asks of them; and the memory that was asked for. */
function memoryOf(
  service: InferenceService,
  { model, gpu }: Pick<Sized, "model" | "gpu">,
  { nodes, hostBytes }: ObservedService,
): Memory | undefined {
  const { gpu: asked } = model.spec.hardware ?? {};
  const written = writtenMemory(service, model, hostBytes);
  const host = written ?? (gpu.is === "none" ? hostBytes : undefined);
  const request =
    written === undefined || hostBytes === undefined ? {} : { request: { bytes: written, offered: hostBytes } };
  const hostPool =
    host === undefined ? {} : { host: { ...pool(written === undefined ? "node" : "memory", host), ...request } };
  if (gpu.is === "none") return host === undefined ? undefined : { devices: [], ...hostPool };
  if (gpu.is !== "resource") return undefined;
  const reported = nodes.flatMap(({ gpuBytes, resources }) =>
    gpuBytes !== undefined && (resources[gpu.resource] ?? 0) >= gpu.count ? [gpuBytes] : [],
  );
  const wanted = parseQuantity(asked?.memory ?? "");
  const bytes =
    reported.length > 0 ? Math.max(...reported) : wanted === undefined ? undefined : quantityToNumber(wanted);
  if (bytes === undefined) return undefined;
  return { devices: Array.from({ length: gpu.count }, (_, i) => pool(`GPU ${i}`, bytes)), ...hostPool };
}

/** The memory that was written down for it, in bytes; a share is of the largest node. */
function writtenMemory(service: InferenceService, model: Model, hostBytes: number | undefined): number | undefined {
  const { memory, hostMemory } = service.spec.resources ?? {};
  const { memoryBudget, memoryFraction } = model.spec.hardware ?? {};
  if (!memoryBudget && typeof memoryFraction === "number" && hostBytes !== undefined) return hostBytes * memoryFraction;
  const written = parseQuantity(memoryBudget ?? hostMemory ?? memory ?? model.spec.resources?.memory ?? "");
  return written === undefined ? undefined : quantityToNumber(written);
}

/** What the weights take where they are stored: of the service's own Model, and of its draft where that is fetched too. */
export function storedBytes(model: Model, draft: Model | undefined): number | undefined {
  const own = storedBytesOf(model.status) ?? sizedModel(model)?.weightBytes;
  return own === undefined ? undefined : own + (storedBytesOf(draft?.status) ?? 0);
}

const storedBytesOf = (status: Model["status"]): number | undefined =>
  status?.weights?.bytes ?? status?.sourceContentLength ?? undefined;

const pool = (name: string, bytes: number) => ({ name, bytes });

function requestOf(
  service: InferenceService,
  sized: SizedModel,
  { model, gpu, memory, slotContexts }: Sized & { readonly memory: Memory },
): SizingRequest {
  const { cacheTypeK, cacheTypeV, cacheTypeCustomK, cacheTypeCustomV, runtime } = service.spec;
  const isLlama = (runtime ?? "llamacpp") === "llamacpp";
  const hasOwn = gpu.is === "none" || slotContexts === "own";
  const style = !isLlama ? servingStyles.paged : hasOwn ? servingStyles.local : servingStyles.llamacpp;
  const trained = sized.shape?.contextLength ?? minContext;
  // Without a length and a limit the engine takes what memory there is.
  const isOpen = gpu.is === "none" && memory.host?.name === "node";
  const whole = contextOf(service) ?? (isOpen ? Math.min(trained, minContext) : trained);
  const context = windowOf(service, whole);
  const layers = model.spec.hardware?.gpu?.layers;
  const { strategy } = model.spec.hardware?.gpu?.sharding ?? {};
  const count = Math.max(1, gpuCount(gpu));
  const isRow = strategy === "row" || strategy === "tensor" || !isLlama;
  return {
    model: sized,
    context,
    slots: slotsOf(service) ?? countFreeSlots(style, sized.shape, context),
    cache: { key: cacheType(cacheTypeCustomK ?? cacheTypeK), value: cacheType(cacheTypeCustomV ?? cacheTypeV) },
    split: isRow ? { tensor: count, pipeline: 1 } : { tensor: 1, pipeline: count },
    ...(typeof layers === "number" && layers >= 0 ? { deviceLayers: layers } : {}),
    style,
    memory,
  };
}

/** The shortest context that the engine chooses by itself. */
const minContext = 4096;

/** What the arguments say wins over the field, as it does in the engine. */
const contextOf = ({ spec }: InferenceService): number | undefined =>
  lastNumber(spec.extraArgs, ["--ctx-size", "-c"]) ?? spec.contextSize;

const slotsOf = ({ spec }: InferenceService): number | undefined =>
  lastNumber(spec.extraArgs, ["--parallel", "-np"]) ?? spec.parallelSlots;

function lastNumber(args: readonly string[] = [], flags: readonly string[]): number | undefined {
  const values = args.flatMap((word, at) => {
    const [flag = "", value = args[at + 1]] = word.split("=", 2);
    return flags.includes(flag) && value !== undefined && /^[1-9]\d{0,8}$/.test(value) ? [Number(value)] : [];
  });
  return values.at(-1);
}

/** What one request can see of a context: llama.cpp divides it between the slots that are asked for. */
export function windowOf(service: InferenceService, whole: number): number {
  const { runtime = "llamacpp" } = service.spec;
  return Math.max(1, runtime === "llamacpp" ? Math.floor(whole / (slotsOf(service) ?? 1)) : whole);
}

/** What nobody knows the size of counts as what is used without a wish. */
const cacheType = (name: string | undefined): CacheType =>
  name !== undefined && Object.hasOwn(cacheTypeBytes, name) ? (name as CacheType) : "f16";
