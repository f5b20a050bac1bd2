import type { AddonContext } from "../addon.ts";
import type { ChatTemplates } from "../chat/chat-templates.ts";
import type { Ending, FromModel, ModelMessage, ModelThread, Requests, Run } from "../model/messages.ts";
import type { SamplingWatch } from "../model/sampling-watch.ts";
import type { Adapters, Scales } from "./adapters.ts";
import { Chances } from "./chances.ts";
import type { Embedder } from "./embedder.ts";
import { Generation, type GenerationContext } from "./generation.ts";
import { Reporter } from "./reporter.ts";
import type { SequenceCache } from "./sequence-cache.ts";
import type { Guesses, Speculation } from "./speculation/speculation.ts";
import { noTimings, timingsOf } from "./timings.ts";

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
  /** Undefined where each token is computed before the next one is considered. */
  readonly speculation: Speculation | undefined;
  readonly sampling: SamplingWatch;
}

/** Where in the batch the logits of a generation are: after its last token, and after each one that was guessed. */
interface Sampling {
  readonly generation: Generation;
  readonly places: Uint32Array;
  readonly guessed: readonly number[];
}

const noGuesses: Guesses = new Map();

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
  #lastPlaces = "";

  constructor(parts: BatchedParts, post: (message: FromModel) => void) {
    this.#parts = parts;
    this.#reporter = new Reporter(post);
    this.#chances = new Chances(parts);
  }

  take(message: ModelMessage): void {
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
        const { messages, options, prefill = "" } = given as Requests["formatChat"][0];
        const chat = templates.format(messages, options);
        const prompt = chat.prompt + prefill;
        return { ...chat, prompt, tokens: vocabulary.complete([...vocabulary.tokenize(prompt)]) };
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
    return { text: vocabulary.textOf(whole), tokens: whole };
  }

  #start(id: number, run: Run): void {
    try {
      const generation = this.#read(id, run);
      this.#running.set(id, generation);
      this.#starting.push(generation);
      void this.#work();
    } catch (error) {
      this.#reporter.end(id, { why: "failed", message: messageOf(error), tokens: 0, timings: noTimings, cached: [] });
    }
  }

  /** A grammar that can be empty in too many ways is not even read to its end. */
  #read(id: number, run: Run): Generation {
    const { sampling } = this.#parts;
    sampling.turn("grammar");
    try {
      return new Generation(id, run, this.#parts);
    } finally {
      sampling.turn("grammar");
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
    const group = this.#nextGroup();
    const answering = group.filter(({ next }) => next !== undefined);
    const guesses = await this.#guess(answering);
    const samplings = this.#fillBatch(group, guesses);
    if (samplings === undefined) return;
    const { context, sampling: watch } = this.#parts;
    const decoding = context.decodeBatch();
    const ahead = this.#sampleAhead(samplings);
    // Samplers are disposed when the batch fails, and not before native code has let go of them.
    const settled = Promise.allSettled([decoding, ...ahead]);
    await decoding.catch(() => {});
    watch.turn("tokens");
    try {
      await settled;
      await decoding;
      await Promise.all(samplings.map((sampling, at) => this.#sample(sampling, ahead[at])));
    } finally {
      watch.turn("tokens");
    }
  }

  /**
   * Asks for the next tokens while the batch is still computed: native code does one thing after the other, and each way to it and
   * back costs more than a small model takes for a token. Only where the logits will be at the same places as those of the last batch, so that there
   * is something to read, though unused, when the batch fails.
   */
  #sampleAhead(samplings: readonly Sampling[]): readonly Promise<number>[] {
    const places = samplings.map((sampling) => sampling.places.join()).join();
    const isSteady = places === this.#lastPlaces && samplings.every(isPlain);
    this.#lastPlaces = places;
    return isSteady
      ? samplings.map((sampling) => this.#parts.context.sampleToken(sampling.places[0]!, sampling.generation.sampler))
      : [];
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

  async #guess(answering: readonly Generation[]): Promise<Guesses> {
    const { speculation, cache } = this.#parts;
    if (speculation === undefined || answering.length === 0) return noGuesses;
    return speculation.guess(answering, (generation) => cache.tokensOf(this.#sequenceOf(generation)));
  }

  /** Puts in what comes next of everything that runs; tells where the logits will be, or undefined when there is nothing. */
  #fillBatch(group: readonly Generation[], guesses: Guesses): Sampling[] | undefined {
    const { context, cache, batchSize } = this.#parts;
    const answering = group
      .filter(({ next }) => next !== undefined)
      .map((generation) => ({ generation, guessed: guesses.get(generation) ?? [] }));
    let space = batchSize - answering.reduce((sum, { guessed }) => sum + 1 + guessed.length, 0);
    const reading = group
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
    const add = (generation: Generation, tokens: Uint32Array, wanted: Uint32Array): Uint32Array => {
      const sequence = this.#sequenceOf(generation);
      const places = context.addToBatch(sequence, cache.tokensOf(sequence).length, tokens, wanted);
      cache.add(sequence, tokens);
      return places;
    };
    for (const { generation, guessed } of answering) {
      const tokens = Uint32Array.of(generation.next!, ...guessed);
      samplings.push({
        generation,
        places: add(
          generation,
          tokens,
          tokens.map((_, at) => at),
        ),
        guessed,
      });
    }
    for (const { generation, count } of reading) {
      const tokens = generation.prompt.subarray(generation.done, generation.done + count);
      generation.done += count;
      const wanted = generation.isReadingPrompt ? new Uint32Array() : Uint32Array.of(tokens.length - 1);
      const places = add(generation, tokens, wanted);
      if (places.length > 0) samplings.push({ generation, places, guessed: [] });
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

  /** Chooses the next token, and those after it as long as each is the one that was guessed. */
  async #sample({ generation, places, guessed }: Sampling, ahead: Promise<number> | undefined): Promise<void> {
    if (generation.firstTokenAt === 0) generation.firstTokenAt = performance.now();
    const sequence = this.#sequenceOf(generation);
    let length = this.#parts.cache.tokensOf(sequence).length - guessed.length;
    for (const [index, at] of places.entries()) {
      const { token, chances } = await this.#chances.choose(generation, at, ahead);
      if (token < 0) return this.#fail(generation, "the model could not compute this request");
      const step = generation.accept(token, length);
      this.#reporter.step(generation, step, chances);
      const isConfirmed = token === guessed[index];
      if (isConfirmed) generation.confirmed++;
      if (step.why === undefined && isConfirmed) {
        length++;
        continue;
      }
      this.#parts.cache.cut(sequence, length);
      if (step.why !== undefined) this.#end(generation, step.why);
      return;
    }
  }

  #end(generation: Generation, why: Ending["why"]): void {
    this.#running.delete(generation.id);
    generation.sampler.dispose();
    const { cache } = this.#parts;
    this.#reporter.end(generation.id, {
      why,
      tokens: generation.tokens,
      timings: timingsOf(generation),
      guesses: generation.guesses,
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

/** One token, chosen by the sampler alone. */
const isPlain = ({ generation, places, guessed }: Sampling): boolean =>
  places.length === 1 &&
  guessed.length === 0 &&
  !generation.hasForced &&
  Number(generation.run.options.n_probs ?? 0) === 0;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
