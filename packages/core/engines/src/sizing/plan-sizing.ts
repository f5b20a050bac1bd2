import type { MemoryPool, ServingStyle, SizedModel, SizingRequest } from "@trivium/domain";
import { countFreeSlots } from "./free-slots.ts";

/** What a template, a runtime or a file tells about serving a model, as far as it is known. */
export interface SizingFacts {
  /** Bytes of the files; else they follow from the number of parameters and their precision. */
  readonly weightBytes?: number | undefined;
  readonly parameters?: number | undefined;
  /** As APIs name it: `fp8`, `int4`, `bf16`. */
  readonly precision?: string | undefined;
  readonly model?: Omit<SizedModel, "weightBytes"> | undefined;
  /** GPUs of one replica, and the memory of each. None, or a count of 0: the model runs on the CPU. */
  readonly gpus?: { readonly count: number; readonly bytes?: number | undefined } | undefined;
  /** Memory of the host, requested or of the largest node. */
  readonly host?: MemoryPool | undefined;
  readonly context?: number | undefined;
  readonly slots?: number | undefined;
  readonly style: ServingStyle;
}

/** Without a length of its own a model is sized for this context. Engines that page their cache start with the whole one, the others with this. */
const defaultContext = 4096;

/** The request to size; nothing where the size of the weights or the memory that they get is unknown. */
export function planSizing(facts: SizingFacts): SizingRequest | undefined {
  const weightBytes = weightBytesOf(facts);
  const memory = memoryOf(facts);
  if (weightBytes === undefined || memory === undefined) return undefined;
  const { parameters, style, model = {} } = facts;
  const trained = model.shape?.contextLength ?? defaultContext;
  const context = facts.context ?? (style.freeSlots === undefined ? trained : Math.min(trained, defaultContext));
  return {
    model: { ...(parameters === undefined ? {} : { parameters }), ...model, weightBytes },
    context,
    slots: facts.slots ?? countFreeSlots(style, model.shape, context),
    cache: { key: "f16", value: "f16" },
    split: { tensor: Math.max(1, memory.devices.length), pipeline: 1 },
    style,
    memory,
  };
}

const bits: Readonly<Record<string, number>> = {
  fp4: 4,
  int4: 4,
  fp8: 8,
  int8: 8,
  fp16: 16,
  bf16: 16,
  fp32: 32,
};

/** The bytes of weights of so many parameters; nothing for a precision that is not known. */
export function weightBytesOf({ weightBytes, parameters, precision = "" }: Omit<SizingFacts, "style">) {
  if (weightBytes !== undefined) return weightBytes;
  const width = Object.hasOwn(bits, precision.toLowerCase()) ? bits[precision.toLowerCase()] : undefined;
  return parameters === undefined || width === undefined ? undefined : Math.ceil((parameters * width) / 8);
}

function memoryOf({ gpus, host }: SizingFacts): SizingRequest["memory"] | undefined {
  const pools = host === undefined ? {} : { host };
  if (gpus === undefined || gpus.count === 0) return host === undefined ? undefined : { devices: [], ...pools };
  const { count, bytes } = gpus;
  if (bytes === undefined) return undefined;
  return { devices: Array.from({ length: count }, (_, at) => ({ name: `GPU ${at}`, bytes })), ...pools };
}
