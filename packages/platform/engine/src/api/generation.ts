import type { Engine } from "../engine.ts";
import type { Ending, Piece, Prompt, TokenChance, TokenChances, ToolCallSoFar } from "../model/messages.ts";
import { Gone, QueueFull } from "../slots.ts";
import { contextExceeded, serverError, unavailable } from "./api-error.ts";
import type { Sampling } from "./sampling.ts";
import { StopWords } from "./stop-words.ts";

/** A prompt that is ready for a slot. */
export interface Order {
  readonly prompt: Prompt;
  readonly sampling: Sampling;
  readonly native: Readonly<Record<string, unknown>>;
  /** How the answer begins already. */
  readonly prefill?: string | undefined;
}

/** Text with whatever came along with it. */
export interface Part {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCallSoFar[] | undefined;
  readonly chances: readonly ShownChance[];
  readonly ids: readonly number[];
}

/** By the names of llama-server: logarithms of what the model held likely, or what the sampler made of it. */
export interface ShownChance {
  readonly id: number;
  readonly token: string;
  readonly bytes: readonly number[];
  readonly logprob?: number;
  readonly top_logprobs?: readonly ShownChance[];
  readonly prob?: number;
  readonly top_probs?: readonly ShownChance[];
}

export interface Outcome {
  readonly slot: number;
  readonly stopType: "eos" | "limit" | "word";
  readonly stoppingWord: string;
  readonly isTruncated: boolean;
  readonly promptTokens: number;
  readonly tokens: number;
  readonly timings: Ending["timings"];
}

/**
 * Runs one order from the queue to its last token. Ends with `Gone` as soon as the signal says that the client left; the slot is
 * free for the next one as soon as native code has let go of it.
 */
export async function generate(
  engine: Engine,
  order: Order,
  signal: AbortSignal,
  take: (part: Part) => void,
): Promise<Outcome> {
  const { sampling, prompt } = order;
  const promptTokens = prompt.tokens.length;
  const context = engine.capacity.contextPerSlot;
  if (promptTokens >= context) throw contextExceeded(promptTokens, context);
  const task = engine.pool.task({ params: sampling.shown, prompt: prompt.tokens, limit: sampling.limit });
  const slot = await engine.pool.take(task, signal).catch((error: unknown) => {
    throw error instanceof QueueFull ? unavailable(`${error.message}; try again later`) : error;
  });

  const stops = new StopWords(sampling.stops);
  const ending = await new Promise<Ending>((resolve) => {
    const cancel = engine.model.run(
      { prompt, slot: slot.id, options: nativeOptions(order), isLive: sampling.isStream },
      {
        piece: (piece) => {
          task.decoded += piece.tokens;
          if (!signal.aborted) take(partOf(piece, stops.push(piece.text), sampling));
        },
        end: (ended) => {
          signal.removeEventListener("abort", cancel);
          engine.pool.giveBack(slot, ended.cached);
          resolve(ended);
        },
      },
    );
    if (signal.aborted) cancel();
    else signal.addEventListener("abort", cancel, { once: true });
  });

  if (signal.aborted || ending.why === "cancelled") throw new Gone();
  if (ending.why === "failed") throw serverError(ending.message ?? "the model could not compute this request");
  const rest = stops.flush();
  if (rest !== "") take({ text: rest, reasoning: "", toolCalls: undefined, chances: [], ids: [] });
  engine.tally.count(promptTokens, ending);
  return {
    slot: slot.id,
    stopType: stops.hit !== undefined ? "word" : ending.why === "eos" || ending.why === "word" ? "eos" : "limit",
    stoppingWord: stops.hit ?? "",
    isTruncated: ending.why === "full",
    promptTokens,
    tokens: ending.tokens,
    timings: ending.timings,
  };
}

/** Several orders of one request: when one fails, nobody wants the others any more. */
export async function together<T>(
  orders: readonly Order[],
  signal: AbortSignal,
  run: (order: Order, index: number, signal: AbortSignal) => Promise<T>,
): Promise<T[]> {
  const failed = new AbortController();
  const either = orders.length === 1 ? signal : AbortSignal.any([signal, failed.signal]);
  try {
    return await Promise.all(orders.map((order, index) => run(order, index, either)));
  } catch (error) {
    failed.abort();
    throw error;
  }
}

function nativeOptions({ sampling, native }: Order): Readonly<Record<string, unknown>> {
  const stop = [...sampling.stops, ...((native.stop as readonly string[] | undefined) ?? [])];
  return { ...sampling.native, ...native, stop, n_predict: sampling.limit };
}

function partOf(piece: Piece, text: string, sampling: Sampling): Part {
  return {
    text,
    reasoning: piece.reasoning ?? "",
    toolCalls: piece.toolCalls,
    chances: sampling.chances > 0 && piece.chances !== undefined ? [chanceOf(piece.chances, sampling)] : [],
    ids: piece.ids ?? [],
  };
}

function chanceOf({ picked, top }: TokenChances, { chances: count, isAfterSampling }: Sampling): ShownChance {
  const first = top.slice(0, count);
  if (isAfterSampling) return { ...showAfter(picked), top_probs: first.map(showAfter) };
  return { ...show(picked), top_logprobs: first.map(show) };
}

const showAfter = ({ id, token, bytes, chance }: TokenChance): ShownChance => ({ id, token, bytes, prob: chance });

function show({ id, token, bytes, chance }: TokenChance): ShownChance {
  // The logarithm of nothing is no number in JSON; llama-server stops at the lowest float too.
  return { id, token, bytes, logprob: chance > 0 ? Math.log(chance) : -3.4028234663852886e38 };
}
