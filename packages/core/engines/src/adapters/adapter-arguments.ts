import type { EngineArgument } from "../serving/engine-argument.ts";

/** Engines that load LoRA adapters by arguments. */
export type AdapterEngine = "vllm" | "sglang" | "llama.cpp";

/** An adapter as an engine loads it. */
export interface AdapterFiles {
  /** Absent: the engine names it after its path. */
  readonly name?: string | undefined;
  /** The folder, or the one file. */
  readonly path: string;
  /** The name of the one file in the folder, where it has only one. */
  readonly file?: string | undefined;
  readonly rank?: number | undefined;
}

/** The arguments with which an engine loads the adapters; none for no adapters. */
export function planAdapterArguments(adapters: readonly AdapterFiles[], engine: AdapterEngine): EngineArgument[] {
  return adapters.length === 0 ? [] : planners[engine](adapters);
}

/** The first adapter that llama.cpp cannot load: it needs a single GGUF file, and of this only a folder is known. */
export const findLooseAdapter = (adapters: readonly AdapterFiles[]): AdapterFiles | undefined =>
  adapters.find(({ path, file }) => file === undefined && !ggufName.test(path));

/** `name=path`, as engines read them. */
export const adapterPairs = (adapters: readonly AdapterFiles[]): string[] =>
  adapters.map(({ name, path }) => (name === undefined ? path : `${name}=${path}`));

const planners: Readonly<Record<AdapterEngine, (adapters: readonly AdapterFiles[]) => EngineArgument[]>> = {
  vllm: (adapters) => [
    { form: "switch", flag: "--enable-lora" },
    ...rankOf(adapters),
    { form: "list", flag: "--lora-modules", values: adapterPairs(adapters) },
  ],
  sglang: (adapters) => [{ form: "list", flag: "--lora-paths", values: adapterPairs(adapters) }],
  // One adapter is applied at once. Of several, a request names those that it needs, so none is applied to all.
  "llama.cpp": (adapters) => [
    { form: "repeated", flag: "--lora", values: adapters.map(fileOf) },
    ...(adapters.length > 1 ? [{ form: "switch", flag: "--lora-init-without-apply" } as const] : []),
  ],
};

/** Ranks that vLLM supports; it refuses adapters of a higher one than it is configured with, and its default is 16. */
const ranks = [16, 32, 64, 128, 256, 320, 512];

function rankOf(adapters: readonly AdapterFiles[]): EngineArgument[] {
  const highest = Math.max(0, ...adapters.map(({ rank = 0 }) => rank));
  const step = ranks.find((rank) => rank >= highest);
  if (step === ranks[0] || step === undefined) return [];
  return [{ form: "value", flag: "--max-lora-rank", value: String(step) }];
}

const ggufName = /\.gguf$/i;

const fileOf = ({ path, file }: AdapterFiles): string =>
  file === undefined || ggufName.test(path) ? path : `${path}/${file}`;
