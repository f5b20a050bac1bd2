import type { Engine } from "../engine.ts";
import { type Call, EventStream, sendJson } from "../http/reply.ts";
import type { ToolCallSoFar } from "../model/messages.ts";
import { type AnswerHead, answerHead, finishOf, usageOf } from "./answer.ts";
import { type ChatRequest, readChatRequest } from "./chat-request.ts";
import { ChoiceStream } from "./choice-stream.ts";
import { parseBody } from "./fields.ts";
import { generate, type Order, type Outcome, together } from "./generation.ts";
import { runMessage } from "./message-run.ts";

/** POST /v1/chat/completions */
export async function answerChat(engine: Engine, call: Call): Promise<void> {
  const request = await readChatRequest(engine, parseBody(call.body));
  if (request.isStream) return streamChat(engine, call, request);
  const choices = await together(request.orders, call.signal, (order, index, signal) =>
    wholeChoice(engine, { order, index, signal }),
  );
  const head = answerHead(engine);
  const outcomes = choices.map(({ outcome }) => outcome);
  sendJson(
    call.response,
    200,
    JSON.stringify({
      choices: choices.map(({ choice }) => choice),
      created: head.created,
      model: head.model,
      system_fingerprint: head.system_fingerprint,
      object: "chat.completion",
      usage: usageOf(outcomes),
      id: head.id,
      timings: outcomes[0]?.timings,
    }),
  );
}

interface WholeChoice {
  readonly choice: Readonly<Record<string, unknown>>;
  readonly outcome: Outcome;
}

interface WantedChoice {
  readonly order: Order;
  readonly index: number;
  readonly signal: AbortSignal;
}

async function wholeChoice(engine: Engine, { order, index, signal }: WantedChoice): Promise<WholeChoice> {
  const { text, reasoning, toolCalls, chances, outcome } = await runMessage(engine, order, signal);
  const content = (order.prefill ?? "") + text;
  const message = {
    role: "assistant",
    content: content === "" && toolCalls.length > 0 ? null : content,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(shownToolCall) }),
  };
  return {
    choice: {
      finish_reason: toolCalls.length > 0 && outcome.stopType !== "limit" ? "tool_calls" : finishOf(outcome),
      index,
      message,
      ...(order.sampling.chances > 0 ? { logprobs: { content: chances } } : {}),
    },
    outcome,
  };
}

const shownToolCall = ({ id, name, arguments: given }: ToolCallSoFar): Readonly<Record<string, unknown>> => ({
  type: "function",
  function: { name, arguments: given },
  id,
});

async function streamChat(engine: Engine, call: Call, request: ChatRequest): Promise<void> {
  const head = answerHead(engine);
  const events = new EventStream(call.response);
  const outcomes = await together(request.orders, call.signal, async (order, index, signal) => {
    const choice = new ChoiceStream(events, head, { index, prefill: order.prefill });
    const outcome = await generate(engine, order, signal, (part) => choice.take(part));
    choice.finish(outcome, request.wantsUsage ? undefined : outcome.timings);
    return outcome;
  });
  if (request.wantsUsage) events.send(usageChunk(head, outcomes));
  events.send("[DONE]");
  events.end();
}

function usageChunk(head: AnswerHead, outcomes: readonly Outcome[]): string {
  const { id, created, model, system_fingerprint } = head;
  const object = "chat.completion.chunk";
  const usage = usageOf(outcomes);
  return JSON.stringify({
    choices: [],
    created,
    id,
    model,
    system_fingerprint,
    object,
    usage,
    timings: outcomes[0]?.timings,
  });
}
