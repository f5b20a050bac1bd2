import type { Engine } from "../engine.ts";
import { answerOnly } from "../grammar/root-rule.ts";
import { type Call, EventStream, sendJson } from "../http/reply.ts";
import { type AnswerHead, answerHead, finishOf, usageOf } from "./answer.ts";
import { badRequest } from "./api-error.ts";
import { checkInputs } from "./bounds.ts";
import { countOf, formatChat, templateOptions } from "./chat-request.ts";
import { type Body, booleanField, isObject, numberField, objectField, parseBody } from "./fields.ts";
import { generate, type Order, type Outcome, type Part, type ShownChance, together } from "./generation.ts";
import { checkGrammar, plainFormatOf, samplingOf } from "./sampling.ts";
import { checkTokens } from "./tokens.ts";

interface Completed {
  readonly order: Order;
  readonly index: number;
  readonly text: string;
  readonly chances: readonly ShownChance[];
  readonly ids: readonly number[];
  readonly outcome: Outcome;
}

/** The two surfaces for plain prompts: llama-server's own and OpenAI's older one. */
interface Surface {
  whole(all: readonly Completed[]): unknown;
  part(part: Part, index: number, order: Order, decoded: number): unknown;
  last(done: Completed): unknown;
  readonly usage?: (outcomes: readonly Outcome[]) => unknown;
  readonly hasDone: boolean;
}

/** POST /completion */
export function answerNative(engine: Engine, call: Call): Promise<void> {
  const body = parseBody(call.body);
  const surface = nativeSurface(engine, body);
  return answer(engine, call, { body, chances: numberField(body, "n_probs") ?? 0, count: 1, surface });
}

/** POST /v1/completions */
export function answerCompletions(engine: Engine, call: Call): Promise<void> {
  const body = parseBody(call.body);
  const wanted = body.logprobs === true ? 1 : body.logprobs === false ? 0 : (numberField(body, "logprobs") ?? 0);
  const count = countOf(body, engine);
  return answer(engine, call, { body, chances: Math.min(20, wanted), count, surface: openAiSurface(engine, count) });
}

interface Asked {
  readonly body: Body;
  readonly chances: number;
  /** Answers to each prompt. */
  readonly count: number;
  readonly surface: Surface;
}

async function answer(engine: Engine, call: Call, { body, chances, count, surface }: Asked): Promise<void> {
  const prompts = await ordersOf(engine, body, chances);
  const orders = prompts.flatMap((order) => Array.from({ length: count }, (_, at) => withSeed(order, at)));
  if (!(booleanField(body, "stream") ?? false)) {
    const all = await together(orders, call.signal, (order, index, signal) =>
      complete(engine, { order, index, signal }, () => {}),
    );
    return sendJson(call.response, 200, JSON.stringify(surface.whole(all)));
  }
  const events = new EventStream(call.response);
  const all = await together(orders, call.signal, async (order, index, signal) => {
    let decoded = 0;
    const done = await complete(engine, { order, index, signal }, (part) => {
      if (part.text === "" && part.chances.length === 0) return;
      events.send(JSON.stringify(surface.part(part, index, order, ++decoded)));
    });
    events.send(JSON.stringify(surface.last(done)));
    return done;
  });
  const wantsUsage = booleanField(objectField(body, "stream_options") ?? {}, "include_usage") ?? false;
  if (wantsUsage && surface.usage) events.send(JSON.stringify(surface.usage(all.map(({ outcome }) => outcome))));
  if (surface.hasDone) events.send("[DONE]");
  events.end();
}

interface Wanted {
  readonly order: Order;
  readonly index: number;
  readonly signal: AbortSignal;
}

async function complete(
  engine: Engine,
  { order, index, signal }: Wanted,
  take: (part: Part) => void,
): Promise<Completed> {
  let text = "";
  const chances: ShownChance[] = [];
  const ids: number[] = [];
  const outcome = await generate(engine, order, signal, (part) => {
    text += part.text;
    chances.push(...part.chances);
    ids.push(...part.ids);
    take(part);
  });
  return { order, index, text, chances, ids, outcome };
}

async function ordersOf(engine: Engine, body: Body, chances: number): Promise<Order[]> {
  const prompts = promptsOf(engine, body.prompt);
  const sampling = samplingOf(body, engine.settings, chances);
  const format = plainFormatOf(body, engine.settings);
  let { grammar } = format;
  if (format.schema !== undefined) {
    const chat = await formatChat(engine, [{ role: "user", content: "" }], templateOptions(engine, body, format, []));
    grammar = answerOnly(chat.grammar, chat.generation_prompt ?? "");
    checkGrammar(grammar);
  }
  const native = grammar === undefined ? {} : { grammar };
  return Promise.all(
    prompts.map(async (parts): Promise<Order> => {
      return { prompt: await engine.model.ask("prepare", { parts }), sampling, native };
    }),
  );
}

/** A text, tokens, texts and tokens mixed, or a list of any of these. */
function promptsOf(engine: Engine, given: unknown): PromptParts[] {
  if (given === undefined || given === null) throw badRequest('"prompt" is required');
  if (typeof given === "string") return [[given]];
  if (!Array.isArray(given) || given.length === 0)
    throw badRequest(
      '"prompt" must be a string, an list of tokens, a list of mixed strings & tokens, or a list of prompts',
    );
  if (given.some((part) => typeof part === "number")) return [partsOf(engine, given)];
  checkInputs("prompt", given.length);
  return given.map((part) => (typeof part === "string" ? [part] : partsOf(engine, part)));
}

type PromptParts = readonly (string | number)[];

function partsOf(engine: Engine, parts: unknown): PromptParts {
  if (!Array.isArray(parts) || parts.length === 0) throw badRequest('"prompt" must be a string or a list');
  checkTokens(
    engine,
    parts.filter((part) => typeof part !== "string"),
  );
  return parts as PromptParts;
}

function nativeSurface(engine: Engine, body: Body): Surface {
  const fields = responseFields(body);
  const areTokensWanted = booleanField(body, "return_tokens") ?? false;
  const ended = (done: Completed, content: string): unknown => {
    const whole = answerOf(done, content);
    return fields === undefined ? whole : selectFields(whole, fields);
  };
  const answerOf = ({ order, index, outcome, chances, ids }: Completed, content: string): Body => ({
    index,
    content,
    tokens: areTokensWanted ? ids : [],
    id_slot: outcome.slot,
    stop: true,
    model: engine.name,
    tokens_predicted: outcome.tokens,
    tokens_evaluated: outcome.promptTokens,
    generation_settings: order.sampling.shown,
    prompt: order.prompt.text,
    has_new_line: content.includes("\n"),
    truncated: outcome.isTruncated,
    stop_type: outcome.stopType,
    stopping_word: outcome.stoppingWord,
    tokens_cached: outcome.promptTokens + outcome.tokens - 1,
    timings: outcome.timings,
    ...(order.sampling.chances > 0 ? { completion_probabilities: chances } : {}),
  });
  return {
    whole: (all) => (all.length === 1 ? ended(all[0]!, all[0]!.text) : all.map((one) => ended(one, one.text))),
    part: (part, index, order, decoded) => ({
      index,
      content: part.text,
      tokens: part.ids,
      stop: false,
      id_slot: -1,
      tokens_predicted: decoded,
      tokens_evaluated: order.prompt.tokens.length,
      ...(part.chances.length > 0 ? { completion_probabilities: part.chances } : {}),
    }),
    last: (done) => ended({ ...done, chances: [], ids: [] }, ""),
    hasDone: false,
  };
}

/** Choices of one prompt differ in their seed. */
function withSeed(order: Order, at: number): Order {
  const seed = Number(order.sampling.native.seed);
  return at === 0 || seed < 0 ? order : { ...order, native: { ...order.native, seed: seed + at } };
}

function responseFields(body: Body): readonly string[] | undefined {
  const given = body.response_fields;
  if (!Array.isArray(given) || given.length === 0) return undefined;
  return given.filter((field) => typeof field === "string");
}

/** `a/b` is what `a` holds under `b`, and is called so in the answer too; unknown fields are left out. */
function selectFields(whole: Body, fields: readonly string[]): Body {
  const entries = fields.map((field) => [field, field.split("/").reduce<unknown>(memberOf, whole)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

const memberOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

function openAiSurface(engine: Engine, count: number): Surface {
  const head: AnswerHead = answerHead(engine);
  const envelope = (choices: unknown, more: object): unknown => ({
    choices,
    created: head.created,
    model: head.model,
    system_fingerprint: head.system_fingerprint,
    object: "text_completion",
    ...more,
    id: head.id,
  });
  const choice = (index: number, text: string, chances: readonly ShownChance[], finish: string | null): unknown => ({
    text,
    index,
    logprobs: chances.length > 0 ? { content: chances } : null,
    finish_reason: finish,
  });
  return {
    whole: (all) => {
      const outcomes = all.map(({ outcome }) => outcome);
      const choices = all.map((one) => choice(one.index, one.text, one.chances, finishOf(one.outcome)));
      const prompts = outcomes.filter((_, at) => at % count === 0);
      const sum = { ...usageOf(outcomes), prompt_tokens: prompts.reduce((total, one) => total + one.promptTokens, 0) };
      const total = Number(usageOf(outcomes).completion_tokens) + sum.prompt_tokens;
      return {
        ...(envelope(choices, { usage: { ...sum, total_tokens: total } }) as object),
        timings: outcomes[0]?.timings,
      };
    },
    part: (part, index) => envelope([choice(index, part.text, part.chances, null)], {}),
    last: (one) => ({
      ...(envelope([choice(one.index, "", [], finishOf(one.outcome))], { usage: usageOf([one.outcome]) }) as object),
      timings: one.outcome.timings,
    }),
    usage: (outcomes) => envelope([], { usage: usageOf(outcomes) }),
    hasDone: true,
  };
}
