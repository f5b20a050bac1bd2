import { StringDecoder } from "node:string_decoder";
import type { Addon, AddonGrammarState, AddonModel, AddonSampler } from "../addon.ts";
import type { Bias } from "../api/sampling.ts";
import { StopWords } from "../api/stop-words.ts";
import { MessageParser, type ParsedMessage } from "../chat/message-parser.ts";
import type { Ending, Run } from "../model/messages.ts";
import { type Trigger, triggeredAt, triggersOf } from "./lazy-grammar.ts";
import { samplerConfig, withGrammar } from "./sampler-config.ts";
import { ThinkingBudget } from "./thinking-budget.ts";
import type { Vocabulary } from "./vocabulary.ts";

export interface GenerationContext {
  readonly addon: Addon;
  readonly model: AddonModel;
  readonly vocabulary: Vocabulary;
  readonly contextSize: number;
}

/** What one token added to an answer. */
export interface Step {
  readonly token: number;
  readonly text: string;
  readonly parsed: ParsedMessage | undefined;
  readonly why: Exclude<Ending["why"], "cancelled" | "failed"> | undefined;
}

/** One answer while it is generated: what comes next is decided here, nothing is computed. */
export class Generation {
  readonly id: number;
  readonly run: Run;
  readonly prompt: Uint32Array;
  readonly sampler: AddonSampler;
  /** How many tokens of the prompt native code has computed, or knew. */
  done = 0;
  cached = 0;
  tokens = 0;
  /** How often tokens were guessed for this answer, how many, and those that the model chose as well. */
  guesses = 0;
  guessed = 0;
  confirmed = 0;
  isCancelled = false;
  /** Chosen, and not yet computed. */
  next: number | undefined;
  readonly startedAt = performance.now();
  firstTokenAt = 0;
  readonly #context: GenerationContext;
  readonly #decoder = new StringDecoder("utf8");
  readonly #stops: StopWords;
  readonly #parser: MessageParser | undefined;
  readonly #preserved: ReadonlySet<number>;
  readonly #triggers: readonly Trigger[];
  readonly #budget: ThinkingBudget | undefined;
  readonly #seed: number;
  readonly #generated: number[] = [];
  #forced: number[] = [];
  #isGrammarActive = false;
  #text = "";

  constructor(id: number, run: Run, context: GenerationContext) {
    this.id = id;
    this.run = run;
    this.prompt = Uint32Array.from(run.prompt.tokens);
    this.#context = context;
    const { options } = run;
    this.#stops = new StopWords((options.stop as readonly string[] | undefined) ?? []);
    this.#parser =
      Number(options.chat_format ?? 0) > 0
        ? new MessageParser(String(options.chat_parser ?? ""), String(options.generation_prompt ?? ""))
        : undefined;
    this.#preserved = preservedTokens(context.vocabulary, options.preserved_tokens);
    this.#triggers = options.grammar_lazy === true ? triggersOf(options.grammar_triggers) : [];
    this.#budget = budgetOf(options);
    this.#seed = Number(options.seed ?? -1) < 0 ? Math.floor(Math.random() * 2 ** 32) : Number(options.seed);
    this.sampler = new context.addon.AddonSampler(context.model);
    this.#configure(this.#triggers.length === 0 ? this.#grammarState() : undefined);
  }

  get isParsed(): boolean {
    return this.#parser !== undefined;
  }

  get isReadingPrompt(): boolean {
    return this.done < this.prompt.length;
  }

  /** How many tokens may still come. */
  get remaining(): number {
    const limit = Number(this.run.options.n_predict ?? -1);
    return limit < 0 ? Number.POSITIVE_INFINITY : limit - this.tokens;
  }

  get hasForced(): boolean {
    return this.#forced.length > 0;
  }

  /** A token that was decided before it was asked for; undefined when the sampler is to choose. */
  takeForced(): number | undefined {
    return this.#forced.shift();
  }

  /** Takes the next token of the answer, and tells what it adds and whether it is the last. */
  accept(token: number, position: number): Step {
    this.tokens++;
    this.#generated.push(token);
    const { vocabulary, contextSize } = this.#context;
    const isHidden = vocabulary.isSpecial(token) && !this.#preserved.has(token);
    const text = isHidden ? "" : this.#decoder.write(vocabulary.bytesOf(token));
    this.#text += text;
    this.#stops.push(text);
    const why = this.#whyEnded(token, position + 1 >= contextSize);
    this.next = why === undefined ? token : undefined;
    if (why === undefined) this.#lookAhead();
    return { token, text, parsed: this.#parser?.parse(this.#text), why };
  }

  #whyEnded(token: number, isFull: boolean): Step["why"] {
    if (this.#stops.hit !== undefined) return "word";
    if (this.#context.vocabulary.isEnd(token)) return "eos";
    if (this.remaining <= 0) return "limit";
    return isFull ? "full" : undefined;
  }

  #lookAhead(): void {
    this.#triggerGrammar();
    const { options } = this.run;
    if (this.#budget?.isUp(String(options.generation_prompt ?? "") + this.#text) !== true) return;
    const end = `${String(options.thinking_budget_message ?? "")}${String(options.thinking_end_tag ?? "")}`;
    this.#forced = [...this.#context.vocabulary.tokenize(end)];
  }

  #triggerGrammar(): void {
    if (this.#triggers.length === 0 || this.#isGrammarActive) return;
    const at = triggeredAt(this.#triggers, this.#text);
    if (at === undefined) return;
    this.#isGrammarActive = true;
    const state = this.#grammarState();
    if (state === undefined) return;
    const { addon, vocabulary } = this.#context;
    for (const token of vocabulary.byteTokens(this.#text.slice(at)))
      addon.AddonSampler.acceptGrammarEvaluationStateToken(state, token);
    this.#configure(state);
  }

  #grammarState(): AddonGrammarState | undefined {
    const { grammar } = this.run.options;
    if (typeof grammar !== "string" || grammar === "") return undefined;
    const { addon, model } = this.#context;
    const parsed = new addon.AddonGrammar(grammar, { addonExports: addon, rootRuleName: "root" });
    return new addon.AddonGrammarEvaluationState(model, parsed);
  }

  #configure(grammar: AddonGrammarState | undefined): void {
    const { options } = this.run;
    const config = samplerConfig({
      options,
      prompt: [...this.prompt, ...this.#generated],
      contextSize: this.#context.contextSize,
      seed: this.#seed,
      biases: biasesOf(options, this.#context.vocabulary),
    });
    this.sampler.applyConfig(withGrammar(config, grammar));
  }
}

function preservedTokens(vocabulary: Vocabulary, given: unknown): ReadonlySet<number> {
  const texts = Array.isArray(given) ? (given as readonly string[]) : [];
  return new Set(texts.map((text) => vocabulary.tokenize(text)).flatMap((ids) => (ids.length === 1 ? [ids[0]!] : [])));
}

function budgetOf(options: Run["options"]): ThinkingBudget | undefined {
  const { thinking_budget_tokens: most, thinking_start_tag: start, thinking_end_tag: end } = options;
  if (typeof most !== "number" || typeof start !== "string" || typeof end !== "string" || end === "") return undefined;
  return new ThinkingBudget(most, start, end);
}

/** A token that must not come has the lowest weight there is. */
function biasesOf(options: Run["options"], vocabulary: Vocabulary): ReadonlyMap<number, number> {
  const given = (options.logit_bias as readonly Bias[] | undefined) ?? [];
  const biases = new Map(
    given.flatMap(([of, by]) => {
      const tokens = typeof of === "number" ? [of] : [...vocabulary.tokenize(of)];
      return tokens.filter((token) => vocabulary.has(token)).map((token) => [token, by] as const);
    }),
  );
  if (options.ignore_eos === true) for (const token of vocabulary.ends()) biases.set(token, Number.NEGATIVE_INFINITY);
  return biases;
}
