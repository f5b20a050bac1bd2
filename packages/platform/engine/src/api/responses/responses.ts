/** OpenAI's Responses API, without a memory: nothing is kept of a response. */
import { randomUUID } from "node:crypto";
import type { Engine } from "../../engine.ts";
import { type Call, EventStream, sendJson } from "../../http/reply.ts";
import type { ToolCallSoFar } from "../../model/messages.ts";
import { readChatRequest } from "../chat-request.ts";
import { parseBody } from "../fields.ts";
import type { Outcome, Part } from "../generation.ts";
import { runMessage } from "../message-run.ts";
import { chatOfResponses } from "./request.ts";

/** POST /v1/responses */
export async function answerResponses(engine: Engine, call: Call): Promise<void> {
  const request = await readChatRequest(engine, chatOfResponses(parseBody(call.body)));
  const order = request.orders[0]!;
  const head = { id: nameOf("resp"), object: "response", created_at: now(), model: engine.name };
  const items = new OutputItems();
  if (!request.isStream) {
    const { outcome } = await runMessage(engine, order, call.signal, (part) => void items.take(part));
    return sendJson(call.response, 200, JSON.stringify(completed(head, items, outcome)));
  }
  const events = new EventStream(call.response);
  let number = 0;
  const send = (event: ResponseEvent): void =>
    events.send(JSON.stringify({ ...event, sequence_number: number++ }), event.type);
  const { outcome } = await runMessage(engine, order, call.signal, (part) => {
    if (number === 0)
      for (const type of ["response.created", "response.in_progress"])
        send({ type, response: { ...head, status: "in_progress", output: [] } });
    for (const event of items.take(part)) send(event);
  });
  for (const event of items.close()) send(event);
  send({ type: "response.completed", response: completed(head, items, outcome) });
  events.end();
}

interface ResponseEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

const now = (): number => Math.floor(Date.now() / 1000);
const nameOf = (kind: string): string => `${kind}_${randomUUID().replaceAll("-", "")}`;

function completed(head: object, items: OutputItems, { stopType, promptTokens, tokens, timings }: Outcome): object {
  const isCut = stopType === "limit";
  return {
    ...head,
    completed_at: now(),
    status: isCut ? "incomplete" : "completed",
    ...(isCut ? { incomplete_details: { reason: "max_output_tokens" } } : {}),
    output: items.output(),
    usage: {
      input_tokens: promptTokens,
      output_tokens: tokens,
      total_tokens: promptTokens + tokens,
      input_tokens_details: { cached_tokens: timings.cache_n },
    },
  };
}

type Item =
  | { readonly is: "reasoning" | "message"; readonly id: string; text: string }
  | { readonly is: "call"; readonly id: string; readonly callId: string; readonly name: string; text: string };

/** The items of a response, in the order in which the model made them. */
class OutputItems {
  readonly #items: Item[] = [];
  readonly #calls: Item[] = [];

  /** Takes what is new, and tells it as events. */
  take(part: Part): ResponseEvent[] {
    return [
      ...(part.reasoning === "" ? [] : this.#grow(this.#itemFor("reasoning"), part.reasoning)),
      ...(part.text === "" ? [] : this.#grow(this.#itemFor("message"), part.text)),
      ...(part.toolCalls ?? []).flatMap((call, at) => this.#takeCall(at, call)),
    ];
  }

  close(): ResponseEvent[] {
    return this.#items.flatMap((item, output_index) => [
      ...doneEvents(item, output_index),
      { type: "response.output_item.done", output_index, item: shown(item) },
    ]);
  }

  output(): object[] {
    return this.#items.map(shown);
  }

  #itemFor(is: "reasoning" | "message"): Item {
    const last = this.#items.at(-1);
    return last?.is === is ? last : { is, id: nameOf(is === "message" ? "msg" : "rs"), text: "" };
  }

  #takeCall(at: number, { id, name, arguments: given }: ToolCallSoFar): ResponseEvent[] {
    this.#calls[at] ??= { is: "call", id: nameOf("fc"), callId: id, name, text: "" };
    const item = this.#calls[at];
    if (!given.startsWith(item.text)) return [];
    return this.#grow(item, given.slice(item.text.length));
  }

  #grow(item: Item, delta: string): ResponseEvent[] {
    const isNew = !this.#items.includes(item);
    const added = isNew ? addedEvents(item, this.#items.push(item) - 1) : [];
    item.text += delta;
    if (delta === "") return added;
    const at = { item_id: item.id, output_index: this.#items.indexOf(item) };
    const type = `response.${deltaNames[item.is]}.delta`;
    return [...added, { type, ...at, ...(item.is === "call" ? {} : { content_index: 0 }), delta }];
  }
}

const deltaNames = { message: "output_text", reasoning: "reasoning_text", call: "function_call_arguments" } as const;

function addedEvents(item: Item, output_index: number): ResponseEvent[] {
  const empty = item.is === "call" ? shown(item) : { ...shown(item), content: [], status: "in_progress" };
  const added = { type: "response.output_item.added", output_index, item: empty };
  if (item.is !== "message") return [added];
  const part = partOf("");
  return [added, { type: "response.content_part.added", item_id: item.id, output_index, content_index: 0, part }];
}

function doneEvents(item: Item, output_index: number): ResponseEvent[] {
  const at = { item_id: item.id, output_index };
  if (item.is === "call")
    return [{ type: "response.function_call_arguments.done", ...at, name: item.name, arguments: item.text }];
  const type = `response.${deltaNames[item.is]}.done`;
  const done = { type, ...at, content_index: 0, text: item.text };
  if (item.is === "reasoning") return [done];
  return [done, { type: "response.content_part.done", ...at, content_index: 0, part: partOf(item.text) }];
}

const partOf = (text: string): object => ({ type: "output_text", annotations: [], logprobs: [], text });

function shown(item: Item): object {
  const { id, text } = item;
  if (item.is === "call")
    return { id, type: "function_call", status: "completed", arguments: text, call_id: item.callId, name: item.name };
  if (item.is === "message")
    return { id, type: "message", role: "assistant", status: "completed", content: [partOf(text)] };
  const content = [{ type: "reasoning_text", text }];
  return { id, type: "reasoning", summary: [], content, encrypted_content: "", status: "completed" };
}
