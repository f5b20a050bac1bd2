import { noTimings } from "../batched/timings.ts";
import type { Binding, NativeContext, NativeEvent } from "../binding.ts";
import { plainChat } from "../chat/chat-templates.ts";
import type {
  Ending,
  FromModel,
  LoadedModel,
  LoadOrder,
  ModelMessage,
  ModelThread,
  Piece,
  PreparedChat,
  Prompt,
  Requests,
  Run,
  TokenChance,
  TokenChances,
} from "./messages.ts";
import { PieceMaker } from "./piece-maker.ts";

interface Running {
  readonly request: number;
  isOver: boolean;
  readonly isLive: boolean;
  held: string;
  heldTokens: number;
  /** Keeps the order where the names of tokens have to be looked up first. */
  lookups: Promise<void>;
}

/**
 * The model inside its thread, for pictures and sound: the other binding has no place for a projector. It knows where native code
 * must not be called.
 */
export class FugoodModel implements ModelThread {
  readonly #context: NativeContext;
  readonly #order: LoadOrder;
  readonly #post: (message: FromModel) => void;
  readonly #running = new Map<number, Running>();
  readonly #pieces = new Map<number, string>();
  readonly #chancesAsked = new Set<number>();
  #bos = "";

  constructor(context: NativeContext, order: LoadOrder, post: (message: FromModel) => void) {
    this.#context = context;
    this.#order = order;
    this.#post = post;
  }

  async describe({ build }: Binding): Promise<LoadedModel> {
    const { desc, nEmbd, nParams, size, metadata, chatTemplates } = this.#context.getModelInfo();
    const [bos, eos] = await Promise.all(
      ["bos", "eos"].map(async (name) => {
        const id = Number(metadata[`tokenizer.ggml.${name}_token_id`] ?? Number.NaN);
        return Number.isInteger(id) ? await this.#context.detokenize([id]) : "";
      }),
    );
    const addsBos = metadata["tokenizer.ggml.add_bos_token"] ?? String(metadata["tokenizer.ggml.model"] === "llama");
    this.#bos = addsBos === "true" ? bos! : "";
    const media = this.#order.mmproj === undefined ? undefined : this.#context.getMultimodalSupport();
    return {
      build,
      description: desc,
      embeddingLength: nEmbd,
      parameters: nParams,
      bytes: size,
      metadata,
      bos: bos!,
      eos: eos!,
      caps: chatTemplates.jinja.defaultCaps,
      vision: media?.vision ?? false,
      audio: media?.audio ?? false,
      gpus: [],
    };
  }

  take(message: ModelMessage): void {
    switch (message.do) {
      case "ask":
        this.#answer(message.request, message.given).then(
          (value) => this.#post({ is: "answer", id: message.id, value }),
          (error: unknown) => this.#post({ is: "refused", id: message.id, why: messageOf(error) }),
        );
        return;
      case "run":
        this.#run(message.id, message.run);
        return;
      case "cancel":
        this.#cancel(message.id);
    }
  }

  async #answer(request: keyof Requests, given: unknown): Promise<unknown> {
    switch (request) {
      case "formatChat":
        return this.#formatChat(given as Requests["formatChat"][0]);
      case "prepare":
        return this.#prepare((given as Requests["prepare"][0]).parts);
      case "pair":
        throw new Error("reranking is not supported with --mmproj; use llama-server");
      case "tokenize": {
        const { text, withBos } = given as Requests["tokenize"][0];
        return [...(await this.#context.tokenize(withBos ? this.#withBos(text) : text)).tokens];
      }
      case "detokenize":
        return this.#context.detokenize((given as Requests["detokenize"][0]).tokens);
      case "pieces":
        return Promise.all(
          (given as Requests["pieces"][0]).tokens.map(async (token) =>
            Buffer.from(await this.#context.detokenize([token])),
          ),
        );
      case "embed":
        return [await this.#embed((given as Requests["embed"][0]).prompt.text)];
    }
  }

  async #prepare(parts: readonly (string | number)[]): Promise<Prompt> {
    const numbers = parts.filter((part) => typeof part === "number");
    const texts = parts.map((part) => (typeof part === "string" ? part : this.#context.detokenize([part])));
    const joined = numbers.length === parts.length ? await this.#textOf(numbers) : (await Promise.all(texts)).join("");
    const text = this.#withBos(joined);
    return { text, tokens: [...(await this.#context.tokenize(text)).tokens] };
  }

  async #formatChat({ messages, options, prefill = "" }: Requests["formatChat"][0]): Promise<PreparedChat> {
    const formatted = this.#context.getFormattedChat(messages, undefined, { ...options, jinja: this.#order.useJinja });
    const chat = typeof formatted === "string" ? plainChat(formatted) : formatted;
    const prompt = this.#withBos(chat.prompt + prefill);
    return { ...chat, prompt, tokens: [...(await this.#context.tokenize(prompt)).tokens] };
  }

  /** The parallel mode of the binding leaves the first token out that the model was trained to see. */
  #withBos(prompt: string): string {
    return this.#bos === "" || prompt.startsWith(this.#bos) ? prompt : this.#bos + prompt;
  }

  /**
   * The text that becomes these tokens again, as near as can be: the binding takes no tokens. Vocabularies that put a space before
   * the first word show it in the text, and would put another one before that.
   */
  async #textOf(tokens: readonly number[]): Promise<string> {
    const text = await this.#context.detokenize(tokens);
    const start = this.#bos !== "" && text.startsWith(this.#bos) ? this.#bos.length : 0;
    if (text[start] !== " ") return text;
    const shorter = text.slice(0, start) + text.slice(start + 1);
    const again = (await this.#context.tokenize(shorter)).tokens;
    return again.length === tokens.length && again.every((token, at) => token === tokens[at]) ? shorter : text;
  }

  /** Here, other than for completions, native code puts the first token before the text by itself. */
  #embed(text: string): Promise<number[]> {
    return new Promise((resolve, reject) => {
      const options = { embd_normalize: -1 };
      this.#context.queueEmbedding(text, options, (error, result) =>
        error ? reject(error) : resolve([...result.embedding]),
      );
    });
  }

  #run(id: number, { options: given, prompt, isLive }: Run): void {
    const maker = new PieceMaker(Number(given.chat_format ?? 0) > 0);
    if (Number(given.n_probs ?? 0) > 0) this.#chancesAsked.add(id);
    try {
      const { requestId } = this.#context.queueCompletion(fugoodOptions(given, prompt.text), (error, event) =>
        this.#hear(id, maker, error, event),
      );
      this.#running.set(id, {
        request: requestId,
        isOver: false,
        isLive,
        held: "",
        heldTokens: 0,
        lookups: Promise.resolve(),
      });
    } catch (error) {
      this.#chancesAsked.delete(id);
      this.#post({
        is: "end",
        id,
        ending: { why: "failed", message: messageOf(error), tokens: 0, timings: noTimings, cached: [] },
      });
    }
  }

  #hear(id: number, maker: PieceMaker, error: unknown, event: NativeEvent): void {
    const running = this.#running.get(id);
    if (running === undefined || running.isOver) return;
    if (error) {
      this.#end(id, { why: "failed", message: messageOf(error), tokens: 0, timings: noTimings, cached: [] });
      return;
    }
    const isLast = event.token === undefined;
    // The end repeats the whole text; only a parser has something new to say then.
    const piece = isLast && !maker.isParsed ? undefined : maker.pieceOf(event);
    const tell = (chances: TokenChances | undefined): void => {
      if (piece !== undefined)
        this.#post({ is: "piece", id, piece: chances === undefined ? piece : { ...piece, chances } });
      if (isLast) this.#end(id, endingOf(event));
    };
    if (!running.isLive && !maker.isParsed && !this.#chancesAsked.has(id)) {
      this.#hold(id, running, piece);
      if (isLast) this.#end(id, endingOf(event));
    } else if (!this.#chancesAsked.has(id)) tell(undefined);
    else
      running.lookups = running.lookups.then(async () =>
        tell(await this.#nameTokens(event.token ?? "", event.probs ?? [])),
      );
  }

  /** Each message wakes the other thread; where nobody reads along, a few dozen tokens share one. */
  #hold(id: number, running: Running, piece: Piece | undefined): void {
    running.held += piece?.text ?? "";
    running.heldTokens += piece?.tokens ?? 0;
    if (running.heldTokens === 0 || (piece !== undefined && running.heldTokens < 32)) return;
    this.#post({ is: "piece", id, piece: { text: running.held, tokens: running.heldTokens } });
    running.held = "";
    running.heldTokens = 0;
  }

  async #nameTokens(text: string, probs: NonNullable<NativeEvent["probs"]>): Promise<TokenChances> {
    const top: TokenChance[] = [];
    for (const { tok, prob } of probs) {
      const token = this.#pieces.get(tok) ?? (await this.#context.detokenize([tok]));
      this.#pieces.set(tok, token);
      top.push({ id: tok, token, bytes: [...Buffer.from(token)], chance: prob });
    }
    const unknown = { id: -1, token: text, bytes: [...Buffer.from(text)], chance: 0 };
    return { picked: top.find(({ token }) => token === text) ?? top[0] ?? unknown, top };
  }

  /**
   * Native code takes a request out of its lists without asking the lock that its own thread holds. Harmless unless that thread
   * changes the same lists at the same moment, which it does right after it let go of the lock. Asking for the status waits for
   * the lock: afterwards the other thread is asleep or computing for much longer than the call takes. What is still queued is
   * left alone until it is not.
   */
  #cancel(id: number): void {
    const running = this.#running.get(id);
    if (running === undefined || running.isOver) return;
    const observed = this.#context
      .getParallelStatus()
      .requests.find(({ request_id }) => request_id === running.request);
    // Not there any more: it has ended by itself and says so in the next turn.
    if (observed === undefined) return;
    // Between being queued and being taken up native code tells nothing, so it is asked again; that is over within one step.
    if (observed.state === "queued") {
      setTimeout(() => this.#cancel(id), 2);
      return;
    }
    this.#context.cancelRequest(running.request);
    this.#end(id, { why: "cancelled", tokens: 0, timings: noTimings, cached: [] });
  }

  #end(id: number, ending: Ending): void {
    const running = this.#running.get(id);
    if (running !== undefined) running.isOver = true;
    this.#running.delete(id);
    this.#chancesAsked.delete(id);
    this.#post({ is: "end", id, ending });
  }
}

// A grammar that is never complete: the end of the text is then never allowed. In parallel mode there is no other way to say so.
const endlessGrammar = "root ::= [^\\x00] root";
/** More than are shown, so that the token that was picked is found among them. */
const minProbs = 20;

function fugoodOptions(given: Run["options"], prompt: string): Record<string, unknown> {
  const {
    logit_bias: biases,
    ignore_eos: ignoreEos,
    cache_prompt: _,
    lora: __,
    n_probs: probs,
    post_sampling_probs: ___,
    ...rest
  } = given;
  const options: Record<string, unknown> = { ...rest, prompt };
  // Native code would write over memory.
  if (Array.isArray(biases) && biases.length > 0)
    throw new Error("logit_bias is not supported with --mmproj; use llama-server");
  if (ignoreEos === true) options.grammar ??= endlessGrammar;
  if (Number(probs ?? 0) > 0) options.n_probs = Math.max(Number(probs), minProbs);
  return options;
}

function endingOf(event: NativeEvent): Ending {
  const common = { timings: event.timings ?? noTimings, tokens: event.tokens_evaluated ?? 0, cached: [] };
  if (event.context_full) return { why: "full", ...common };
  if (event.stopped_word) return { why: "word", ...common };
  if (event.stopped_eos) return { why: "eos", ...common };
  if (event.stopped_limit) return { why: "limit", ...common };
  // Native code has no word for a batch that could not be computed: it ends for no reason.
  return { why: "failed", message: "the model could not compute this request", ...common };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
