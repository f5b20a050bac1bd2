import type { Pod } from "@trivium/kube";

/** What a model server reports of itself, in the names of the engines that have it. */
export interface PodFigures {
  readonly memoryBytes?: number | undefined;
  /** All tokens that were generated since it started. */
  readonly tokens?: number | undefined;
  readonly running?: number | undefined;
  readonly waiting?: number | undefined;
}

const names = {
  memoryBytes: ["process_resident_memory_bytes"],
  tokens: ["llamacpp:tokens_predicted_total", "vllm:generation_tokens_total", "sglang:generation_tokens_total"],
  running: ["llamacpp:requests_processing", "vllm:num_requests_running", "sglang:num_running_reqs"],
  waiting: ["llamacpp:requests_deferred", "vllm:num_requests_waiting", "sglang:num_queue_reqs"],
} as const;

/** Reads the text of `/metrics`; what an engine does not report is left out. */
export function readFigures(text: string): PodFigures {
  const sums = new Map<string, number>();
  for (const line of text.split("\n")) {
    const [, name = "", value] = /^([A-Za-z_:][\w:]*)(?:\{[^}]*\})?\s+(\S+)/.exec(line) ?? [];
    const number = Number(value);
    if (name !== "" && Number.isFinite(number)) sums.set(name, (sums.get(name) ?? 0) + number);
  }
  const sumOf = (candidates: readonly string[]) =>
    candidates.map((name) => sums.get(name)).find((one) => one !== undefined);
  return {
    memoryBytes: sumOf(names.memoryBytes),
    tokens: sumOf(names.tokens),
    running: sumOf(names.running),
    waiting: sumOf(names.waiting),
  };
}

/** The figures of several pods as one; nothing where none reports it. */
export function addFigures(all: readonly PodFigures[]): PodFigures {
  const sum = (pick: (one: PodFigures) => number | undefined): number | undefined => {
    const values = all.map(pick).filter((value) => value !== undefined);
    return values.length === 0 ? undefined : values.reduce((total, value) => total + value, 0);
  };
  return {
    memoryBytes: sum((one) => one.memoryBytes),
    tokens: sum((one) => one.tokens),
    running: sum((one) => one.running),
    waiting: sum((one) => one.waiting),
  };
}

/** Pods of downloads stay after they end, and need nothing any more. */
export const isUnfinished = ({ status }: Pick<Pod, "status">): boolean =>
  status?.phase !== "Succeeded" && status?.phase !== "Failed";
