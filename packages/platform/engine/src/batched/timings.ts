import type { Timings } from "../model/messages.ts";
import type { Generation } from "./generation.ts";

/** How long an answer took so far, by the names of llama-server. */
export function timingsOf(generation: Generation): Timings {
  const promptTokens = generation.done - generation.cached;
  const first = generation.firstTokenAt === 0 ? performance.now() : generation.firstTokenAt;
  const promptTime = first - generation.startedAt;
  const time = performance.now() - first;
  const { tokens } = generation;
  const each = (milliseconds: number, count: number): number => (count === 0 ? 0 : milliseconds / count);
  const rate = (milliseconds: number, count: number): number =>
    milliseconds === 0 ? 0 : (count * 1000) / milliseconds;
  return {
    cache_n: generation.cached,
    prompt_n: promptTokens,
    prompt_ms: promptTime,
    prompt_per_token_ms: each(promptTime, promptTokens),
    prompt_per_second: rate(promptTime, promptTokens),
    predicted_n: tokens,
    predicted_ms: time,
    predicted_per_token_ms: each(time, tokens),
    predicted_per_second: rate(time, tokens),
    ...(generation.guessed === 0 ? {} : { draft_n: generation.guessed, draft_n_accepted: generation.confirmed }),
  };
}

export const noTimings: Timings = {
  cache_n: 0,
  prompt_n: 0,
  prompt_ms: 0,
  prompt_per_token_ms: 0,
  prompt_per_second: 0,
  predicted_n: 0,
  predicted_ms: 0,
  predicted_per_token_ms: 0,
  predicted_per_second: 0,
};
