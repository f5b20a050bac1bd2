import type { Ending } from "./model/messages.ts";
import type { SlotPool } from "./slots.ts";

/** Counts for `/metrics`, by the names of llama-server. */
export class Tally {
  #prompt = 0;
  #cached = 0;
  #promptSeconds = 0;
  #predicted = 0;
  #predictedSeconds = 0;
  #longest = 0;
  #guesses = 0;
  #guessed = 0;
  #confirmed = 0;

  count(promptTokens: number, { timings, tokens, guesses = 0 }: Ending): void {
    this.#prompt += timings.prompt_n;
    this.#cached += timings.cache_n;
    this.#promptSeconds += timings.prompt_ms / 1000;
    this.#predicted += tokens;
    this.#predictedSeconds += timings.predicted_ms / 1000;
    this.#guesses += guesses;
    this.#guessed += timings.draft_n ?? 0;
    this.#confirmed += timings.draft_n_accepted ?? 0;
    this.#longest = Math.max(this.#longest, promptTokens + tokens);
  }

  render(pool: SlotPool): string {
    const rate = (tokens: number, seconds: number): number => (seconds > 0 ? tokens / seconds : 0);
    const rows: [name: string, kind: "counter" | "gauge", help: string, value: number][] = [
      ["prompt_tokens_total", "counter", "Number of prompt tokens processed, excluding cached tokens", this.#prompt],
      ["prompt_tokens_cached_total", "counter", "Number of prompt tokens reused from the cache", this.#cached],
      ["prompt_seconds_total", "counter", "Total time spent processing prompts", this.#promptSeconds],
      ["tokens_predicted_total", "counter", "Number of generation tokens processed", this.#predicted],
      ["tokens_predicted_seconds_total", "counter", "Total time spent generating tokens", this.#predictedSeconds],
      ["n_tokens_max", "counter", "Largest observed sequence length (prompt + generation)", this.#longest],
      ["spec_decode_num_drafts_total", "counter", "Number of drafts of speculative decoding", this.#guesses],
      ["spec_decode_num_draft_tokens_total", "counter", "Number of drafted tokens", this.#guessed],
      ["spec_decode_num_accepted_tokens_total", "counter", "Number of drafted tokens accepted", this.#confirmed],
      [
        "prompt_tokens_seconds",
        "gauge",
        "Average prompt throughput in tokens/s",
        rate(this.#prompt, this.#promptSeconds),
      ],
      [
        "predicted_tokens_seconds",
        "gauge",
        "Average generation throughput in tokens/s",
        rate(this.#predicted, this.#predictedSeconds),
      ],
      ["requests_processing", "gauge", "Number of requests processing", pool.busy],
      ["requests_deferred", "gauge", "Number of requests deferred", pool.queued],
    ];
    const memory = [
      "process_resident_memory_bytes",
      "gauge",
      "Resident memory size",
      process.memoryUsage.rss(),
    ] as const;
    return [...rows.map(([name, ...rest]) => [`llamacpp:${name}`, ...rest] as const), memory]
      .map(([name, kind, help, value]) => `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${name} ${value}\n`)
      .join("");
  }
}
