/** Anthropic's Messages API. */
import type { Engine } from "../../engine.ts";
import { type Call, EventStream, sendJson } from "../../http/reply.ts";
import type { ToolCallSoFar } from "../../model/messages.ts";
import { answerHead } from "../answer.ts";
import { formatChat, messagesOf, readChatRequest, templateOptions, toolsOf } from "../chat-request.ts";
import { parseBody } from "../fields.ts";
import type { Outcome, Part } from "../generation.ts";
import { runMessage, type WholeMessage } from "../message-run.ts";
import { chatOfAnthropic } from "./request.ts";

/** POST /v1/messages */
export async function answerMessages(engine: Engine, call: Call): Promise<void> {
  const request = await readChatRequest(engine, chatOfAnthropic(parseBody(call.body)));
  const order = request.orders[0]!;
  const { id } = answerHead(engine);
  if (!request.isStream) {
    const whole = await runMessage(engine, order, call.signal);
    return sendJson(call.response, 200, JSON.stringify(messageOf(engine, id, whole)));
  }
  const events = new EventStream(call.response);
  const blocks = new BlockStream(events);
  let hasBegun = false;
  const begin = (): void => {
    if (hasBegun) return;
    hasBegun = true;
    const usage = { cache_read_input_tokens: 0, input_tokens: order.prompt.tokens.length, output_tokens: 0 };
    const message = { ...headOf(engine, id), content: [], stop_reason: null, stop_sequence: null, usage };
    sendNamed(events, { type: "message_start", message });
  };
  const { outcome, toolCalls } = await runMessage(engine, order, call.signal, (part) => {
    begin();
    blocks.take(part);
  });
  begin();
  blocks.close();
  const delta = { stop_reason: stopReason(outcome, toolCalls), stop_sequence: outcome.stoppingWord || null };
  sendNamed(events, { type: "message_delta", delta, usage: { output_tokens: outcome.tokens } });
  sendNamed(events, { type: "message_stop" });
  events.end();
}

/** POST /v1/messages/count_tokens */
export async function answerCountTokens(engine: Engine, call: Call): Promise<void> {
  const body = chatOfAnthropic(parseBody(call.body));
  const { messages } = messagesOf(body, engine);
  const options = templateOptions(engine, body, { grammar: undefined, schema: undefined }, toolsOf(body));
  const { tokens } = await formatChat(engine, messages, options);
  sendJson(call.response, 200, JSON.stringify({ input_tokens: tokens.length }));
}

const headOf = (engine: Engine, id: string): object => ({ id, type: "message", role: "assistant", model: engine.name });

function messageOf(engine: Engine, id: string, { text, reasoning, toolCalls, outcome }: WholeMessage): object {
  const { promptTokens, tokens, timings } = outcome;
  return {
    ...headOf(engine, id),
    content: [
      ...(reasoning === "" ? [] : [{ type: "thinking", thinking: reasoning, signature: "" }]),
      ...(text === "" ? [] : [{ type: "text", text }]),
      ...toolCalls.map((call) => ({ type: "tool_use", id: call.id, name: call.name, input: inputOf(call) })),
    ],
    stop_reason: stopReason(outcome, toolCalls),
    stop_sequence: outcome.stoppingWord || null,
    usage: {
      cache_read_input_tokens: timings.cache_n,
      input_tokens: promptTokens - timings.cache_n,
      output_tokens: tokens,
    },
  };
}

function stopReason({ stopType }: Outcome, calls: readonly ToolCallSoFar[]): string {
  if (stopType === "limit") return "max_tokens";
  return calls.length > 0 ? "tool_use" : "end_turn";
}

function inputOf(call: ToolCallSoFar): unknown {
  try {
    return JSON.parse(call.arguments);
  } catch {
    return {};
  }
}

interface NamedEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

const sendNamed = (events: EventStream, data: NamedEvent): void => events.send(JSON.stringify(data), data.type);

/** Blocks of an answer one after the other: each is opened, grows and is closed before the next one. */
class BlockStream {
  readonly #events: EventStream;
  #open: string | undefined;
  #index = -1;
  #calls: readonly ToolCallSoFar[] = [];

  constructor(events: EventStream) {
    this.#events = events;
  }

  take(part: Part): void {
    if (part.reasoning !== "") {
      this.#enter("thinking", { type: "thinking", thinking: "" });
      this.#grow({ type: "thinking_delta", thinking: part.reasoning });
    }
    if (part.text !== "") {
      this.#enter("text", { type: "text", text: "" });
      this.#grow({ type: "text_delta", text: part.text });
    }
    for (const [at, call] of (part.toolCalls ?? []).entries()) this.#takeCall(at, call);
    this.#calls = part.toolCalls ?? this.#calls;
  }

  #takeCall(at: number, call: ToolCallSoFar): void {
    const before = this.#calls[at]?.arguments ?? "";
    if (!call.arguments.startsWith(before) || call.arguments === before) return;
    this.#enter(`call ${at}`, { type: "tool_use", id: call.id, name: call.name, input: {} });
    this.#grow({ type: "input_json_delta", partial_json: call.arguments.slice(before.length) });
  }

  close(): void {
    if (this.#open !== undefined) sendNamed(this.#events, { type: "content_block_stop", index: this.#index });
    this.#open = undefined;
  }

  #enter(name: string, block: object): void {
    if (this.#open === name) return;
    this.close();
    this.#open = name;
    this.#index++;
    sendNamed(this.#events, { type: "content_block_start", index: this.#index, content_block: block });
  }

  #grow(delta: object): void {
    sendNamed(this.#events, { type: "content_block_delta", index: this.#index, delta });
  }
}
