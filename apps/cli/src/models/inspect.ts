import type { MemoryFit, ModelFacts } from "@trivium/domain";
import { formatMemory, formatParameterCount, listMemory } from "@trivium/engines";
import { Refusal } from "@trivium/std";
import { lookAt } from "../run/model.ts";
import { listVariants, type Variant } from "../run/quantization.ts";
import { parseTarget } from "../run/target.ts";
import { fitOnThisMachine } from "./memory.ts";

export interface InspectOptions {
  readonly context?: number;
  readonly slots?: number;
  readonly output: "text" | "json";
}

interface Inspected {
  readonly source: string;
  readonly format: string;
  readonly bytes: number;
  readonly architecture?: string | undefined;
  readonly parameters?: number | undefined;
  readonly quantization?: string | undefined;
  readonly maxContext?: number | undefined;
  readonly memory?: MemoryFit | undefined;
  /** The models of a repository that has several. */
  readonly variants: readonly Variant[];
}

/** What the headers of a model say, read where it lies, and what serving it here needs. */
export async function inspect(what: string, options: InspectOptions): Promise<string> {
  const target = parseTarget(what, "a GGUF file, org/repo[:quantization], or an hf://, https:// or s3:// address");
  if (target.is === "manifest") throw new Refusal(`${what} is a manifest; trivium plan -f shows what it needs`);
  const seen = await lookAt(target, process.env);
  const { source, facts, bytes, files } = seen;
  const variants = target.is === "repository" ? listVariants(files) : [];
  const inspected = describe(facts, { source, bytes, variants, memory: fitOnThisMachine(seen, options) });
  return options.output === "json" ? `${JSON.stringify(inspected, null, 2)}\n` : print(inspected);
}

function describe(facts: ModelFacts, rest: Pick<Inspected, "source" | "bytes" | "variants" | "memory">): Inspected {
  const { format, type, architecture, parameters, quantization, maxTokens } = facts;
  return {
    ...rest,
    format: format?.name ?? "unknown",
    architecture: architecture ?? type,
    parameters: parameters?.count,
    quantization: quantization?.method ?? facts.elementType,
    maxContext: maxTokens,
  };
}

function print({ source, format, bytes, memory, variants, ...model }: Inspected): string {
  const rows: (readonly [string, string | undefined])[] = [
    ["source", source],
    ["format", `${format}, ${formatMemory(bytes)}`],
    ["architecture", model.architecture],
    ["parameters", model.parameters === undefined ? undefined : formatParameterCount(model.parameters)],
    ["quantization", model.quantization],
    ["context", model.maxContext === undefined ? undefined : `${model.maxContext} tokens`],
    ["served by", format === "gguf" ? undefined : "vLLM or SGLang; llama.cpp reads GGUF only"],
    ["quantizations", variants.length < 2 ? undefined : variants.map(nameAndSize).join(", ")],
  ];
  const lines = rows.flatMap(([word, value]) => (value === undefined ? [] : [`${word.padEnd(15)}${value}`]));
  return `${[...lines, ...(memory === undefined ? [] : ["", "Memory on this machine", ...listMemory(memory)])].join("\n")}\n`;
}

const nameAndSize = ({ quantization, bytes }: Variant): string => `${quantization} (${formatMemory(bytes)})`;
