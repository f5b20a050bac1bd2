import type { AddonContext } from "../addon.ts";
import type { ChatTemplates } from "../chat/chat-templates.ts";
import type { Ending, FromModel, ModelThread, Requests, Run, Timings, ToModel } from "../model/messages.ts";
import type { Adapters, Scales } from "./adapters.ts";
import { Chances } from "./chances.ts";
import type { Embedder } from "./embedder.ts";
import { Generation, type GenerationContext } from "./generation.ts";
import { Reporter } from "./reporter.ts";
import type { SequenceCache } from "./sequence-cache.ts";

export interface BatchedParts extends GenerationContext {
  readonly context: AddonContext;
  readonly cache: SequenceCache;
  readonly adapters: Adapters;
  readonly templates: ChatTemplates;
  /** Tokens that native code computes at once. */
  readonly batchSize: number;
  /** Sequences before those of the slots. */
  readonly firstSequence: number;
  readonly embedder: Embedder;
}

/** Where in the batch the logits of a generation are. */
interface Sampling {
  readonly generation: Generation;
  readonly at: number;
}

/**
 * The model inside its thread. Each step computes one batch: a token of each answer that is under way, and as much of the waiting
 * prompts as fits beside them.
 */
export class BatchedModel implements ModelThread {
  readonly #parts: BatchedParts;
  readonly #reporter: Reporter;
  readonly #chances: Chances;
  readonly #running = new Map<number, Generation>();
  #starting: Generation[] = [];
  #waiting: (() => Promise<void>)[] = [];
  #isAtWork = false;
  #lastScales: Scales = "";

  constructor(parts: BatchedParts, post: (message: FromModel) => void) {
    this.#parts = parts;
    this.#reporter = new Reporter(post);
    this.#chances = new Chances(parts);
  }

  take(message: ToModel): void {
    switch (message.do) {
      case "ask":
        this.#answer(message.request, message.given).then(
          (value) => this.#reporter.answer(message.id, value),
          (error: unknown) => this.#reporter.refuse(message.id, messageOf(error)),
        );
        return;
      case "run":
        this.#start(message.id, message.run);
        return;
      case "cancel": {
        const generation = this.#running.get(message.id);
        if (generation !== undefined) generation.isCancelled = true;
      }
    }
  }

  async #answer(request: keyof Requests, given: unknown): Promise<unknown> {
    const { vocabulary, templates, embedder } = this.#parts;
    switch (request) {
      case "formatChat": {
        const { messages, options } = given as Requests["formatChat"][0];
        const chat = templates.format(messages, options);
        return { ...chat, tokens: vocabulary.complete([...vocabulary.tokenize(chat.prompt)]) };
      }
      case "prepare":
        return this.#prepare(given as Requests["prepare"][0]);
      case "pair": {
        const { query, document } = given as Requests["pair"][0];
        return { text: `${query} ${document}`, tokens: vocabulary.pair(query, document) };
      }
      case "tokenize": {
        const { text, withBos, readSpecial } = given as Requests["tokenize"][0];
        const tokens = [...vocabulary.tokenize(text, readSpecial)];
        return withBos ? vocabulary.complete(tokens) : tokens;
      }
      case "detokenize":
        return vocabulary.textOf((given as Requests["detokenize"][0]).tokens);
      case "pieces":
        return (given as Requests["pieces"][0]).tokens.map((token) => vocabulary.bytesOf(token));
      case "embed":
        return this.#inTurn(() => embedder.embed((given as Requests["embed"][0]).prompt.tokens));
    }
  }

  /** Texts and tokens in the order given; only what comes first gets the first token. */
  #prepare({ parts }: Requests["prepare"][0]): Requests["prepare"][1] {
    const { vocabulary } = this.#parts;
    const tokens = parts.flatMap((part) => (typeof part === "number" ? [part] : [...vocabulary.tokenize(part)]));
    // Tokens alone are what the caller wants the model to see.
    const whole = parts.some((part) => typeof part === "string") ? vocabulary.complete(tokens) : tokens;
    const text = parts.map((part) => (typeof part === "number" ? vocabulary.textOf([part]) : part)).join("");
    return { text, tokens: whole };
  }

  #start(id: number, run: Run): void {
    try {
      const generation = new Generation(id, run, this.#parts);
      this.#running.set(id, generation);
      this.#starting.push(generation);
      void this.#work();
    } catch (error) {
      this.#reporter.end(id, { why: "failed", message: messageOf(error), tokens: 0, timings: noTimings, cached: [] });
    }
  }

  /** Runs something between two batches. */
  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => task().then(resolve, reject));
      void this.#work();
    });
  }

  async #work(): Promise<void> {
    if (this.#isAtWork) return;
    this.#isAtWork = true;
    while (this.#running.size > 0 || this.#waiting.length > 0) {
      const tasks = this.#waiting;
      this.#waiting = [];
      for (const task of tasks) await task();
      try {
        await this.#step();
      } catch (error) {
        this.#failAll(messageOf(error));
      }
    }
    this.#isAtWork = false;
  }

  async #step(): Promise<void> {
    for (const generation of this.#running.values()) if (generation.isCancelled) this.#end(generation, "cancelled");
    await this.#prepareStarting();
    const samplings = this.#fillBatch();
    if (samplings === undefined) return;
    await this.#parts.context.decodeBatch();
    await Promise.all(samplings.map((sampling) => this.#sample(sampling)));
  }

  async #prepareStarting(): Promise<void> {
    const starting = this.#starting;
    this.#starting = [];
    for (const generation of starting) {
      if (!this.#running.has(generation.id)) continue;
      const sequence = this.#sequenceOf(generation);
      if (generation.run.options.cache_prompt === false) this.#parts.cache.clear(sequence);
      const scales = this.#parts.adapters.scalesOf(generation.run.options);
      generation.cached = await this.#parts.cache.reuse(sequence, generation.prompt, scales);
      generation.done = generation.cached;
    }
  }

  /** Puts in what comes next of everything that runs; tells where the logits will be, or undefined when there is nothing. */
  #fillBatch(): Sampling[] | undefined {
    const { context, cache, batchSize } = this.#parts;
    const all = this.#nextGroup();
    const answering = all.filter(({ next }) => next !== undefined);
    let space = batchSize - answering.length;
    const reading = all
      .filter((generation) => generation.isReadingPrompt)
      .map((generation) => {
        const count = Math.min(space, generation.prompt.length - generation.done);
        space -= count;
        return { generation, count };
      })
      .filter(({ count }) => count > 0);
    if (answering.length + reading.length === 0) return undefined;

    context.initBatch(batchSize - space);
    const samplings: Sampling[] = [];
    const add = (generation: Generation, tokens: Uint32Array, isLast: boolean): void => {
      const sequence = this.#sequenceOf(generation);
      const wanted = isLast ? Uint32Array.of(tokens.length - 1) : new Uint32Array();
      const [at] = context.addToBatch(sequence, cache.tokensOf(sequence).length, tokens, wanted);
      cache.add(sequence, tokens);
      if (at !== undefined) samplings.push({ generation, at });
    };
    for (const generation of answering) add(generation, Uint32Array.of(generation.next!), true);
    for (const { generation, count } of reading) {
      const tokens = generation.prompt.subarray(generation.done, generation.done + count);
      generation.done += count;
      add(generation, tokens, !generation.isReadingPrompt);
    }
    return samplings;
  }

  /** Those that can share a batch. Groups of other adapters take turns. */
  #nextGroup(): Generation[] {
    if (this.#running.size === 0) return [];
    const { adapters } = this.#parts;
    const groups = Map.groupBy(this.#running.values(), ({ run }) => adapters.scalesOf(run.options));
    const keys = [...groups.keys()];
    const turn = keys[(keys.indexOf(this.#lastScales) + 1) % keys.length] ?? "";
    this.#lastScales = turn;
    adapters.apply(turn);
    return groups.get(turn) ?? [];
  }

  async #sample({ generation, at }: Sampling): Promise<void> {
    if (generation.firstTokenAt === 0) generation.firstTokenAt = performance.now();
    const token = generation.takeForced() ?? (await this.#parts.context.sampleToken(at, generation.sampler));
    if (token < 0) return this.#fail(generation, "the model could not compute this request");
    const chances = await this.#chances.of(generation, at, token);
    const position = this.#parts.cache.tokensOf(this.#sequenceOf(generation)).length;
    const step = generation.accept(token, position);
    this.#reporter.step(generation, step, chances);
    if (step.why !== undefined) this.#end(generation, step.why);
  }

  #end(generation: Generation, why: Ending["why"]): void {
    this.#running.delete(generation.id);
    generation.sampler.dispose();
    const { cache } = this.#parts;
    this.#reporter.end(generation.id, {
      why,
      tokens: generation.tokens,
      timings: timingsOf(generation),
      cached: cache.tokensOf(this.#sequenceOf(generation)),
    });
  }

  #fail(generation: Generation, message: string): void {
    this.#running.delete(generation.id);
    generation.sampler.dispose();
    this.#parts.cache.clear(this.#sequenceOf(generation));
    this.#reporter.end(generation.id, { why: "failed", message, tokens: 0, timings: noTimings, cached: [] });
  }

  /** Native code does not tell which part of a batch it could not compute, or how far it came. */
  #failAll(message: string): void {
    for (const generation of [...this.#running.values()]) this.#fail(generation, message);
  }

  #sequenceOf({ run }: Generation): number {
    return this.#parts.firstSequence + run.slot;
  }
}

function timingsOf(generation: Generation): Timings {
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

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
