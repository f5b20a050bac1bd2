import { isObject, type Json } from "@trivium/std";
import { EventTooLong, readEvents } from "./event-stream.ts";

/** What came of an answer. Times are the clock's. */
export type Answer =
  | { readonly is: "whole"; readonly firstAt: number; readonly inputTokens?: number; readonly outputTokens: number }
  | { readonly is: "bad"; readonly kind: "garbage" | "cut" | "empty" | "http"; readonly message: string };

const bad = (kind: "garbage" | "cut" | "empty" | "http", message: string): Answer => ({ is: "bad", kind, message });

/** An answer piece by piece, up to its end mark. */
export async function readStream(chunks: AsyncIterable<Uint8Array>, clock: () => number): Promise<Answer> {
  let firstAt: number | undefined;
  let pieces = 0;
  let isOver = false;
  let usage: Usage = {};
  try {
    for await (const payload of readEvents(chunks)) {
      if (payload === "[DONE]") {
        isOver = true;
        break;
      }
      const event = parse(payload);
      if (!isObject(event)) return bad("garbage", "an event of the stream is not a JSON object");
      if (event.error !== undefined && event.error !== null) return bad("http", errorMessage(event.error));
      const choice = Array.isArray(event.choices) ? event.choices[0] : undefined;
      if (hasText(choice)) {
        firstAt ??= clock();
        pieces += 1;
      }
      if (isObject(choice) && typeof choice.finish_reason === "string") isOver = true;
      usage = { ...usage, ...usageOf(event.usage) };
    }
  } catch (error) {
    if (error instanceof EventTooLong) return bad("garbage", error.message);
    throw error;
  }
  if (!isOver) return bad("cut", "the stream ended without [DONE]");
  if (firstAt === undefined) return bad("empty", "the stream contained no text");
  return { is: "whole", firstAt, ...usage, outputTokens: usage.outputTokens ?? pieces };
}

/** An answer in one piece: embeddings, ranks, or a chat that was not streamed. */
export function readWhole(text: string, clock: () => number): Answer {
  const body = parse(text);
  if (!isObject(body)) return bad("garbage", "the response is not a JSON object");
  if (body.error !== undefined && body.error !== null) return bad("http", errorMessage(body.error));
  const found = [body.data, body.results, body.choices].find(Array.isArray);
  if (found === undefined) return bad("garbage", "the response has none of data, results and choices");
  if (found.length === 0) return bad("empty", "the response is an empty list");
  return { is: "whole", firstAt: clock(), outputTokens: 0, ...usageOf(body.usage) };
}

interface Usage {
  inputTokens?: number;
  outputTokens?: number;
}

function usageOf(usage: Json | undefined): Usage {
  if (!isObject(usage)) return {};
  const { prompt_tokens: input, completion_tokens: output } = usage;
  return {
    ...(isCount(input) ? { inputTokens: input } : {}),
    ...(isCount(output) ? { outputTokens: output } : {}),
  };
}

const isCount = (value: Json | undefined): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Thoughts and calls of tools are tokens too. */
function hasText(choice: Json | undefined): boolean {
  if (!isObject(choice)) return false;
  const { delta, text } = choice;
  if (typeof text === "string" && text !== "") return true;
  if (!isObject(delta)) return false;
  const isFilled = (value: Json | undefined) => typeof value === "string" && value !== "";
  return isFilled(delta.content) || isFilled(delta.reasoning_content) || Array.isArray(delta.tool_calls);
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

export function errorMessage(error: Json | undefined): string {
  const message = isObject(error) ? error.message : error;
  return typeof message === "string" ? cleaned(message) : "the server reports an error";
}

/** Words of a server as they may stand in a report. */
export const cleaned = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, 300);
