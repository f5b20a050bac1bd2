import type { Engine } from "../engine.ts";
import type { ToolCallSoFar } from "../model/messages.ts";
import { generate, type Order, type Outcome, type Part, type ShownChance } from "./generation.ts";

/** An answer to a chat, complete. */
export interface WholeMessage {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCallSoFar[];
  readonly chances: readonly ShownChance[];
  readonly outcome: Outcome;
}

/** Generates one answer and collects it; parts are passed on as they come. Models begin an answer with the space between words. */
export async function runMessage(
  engine: Engine,
  order: Order,
  signal: AbortSignal,
  pass: (part: Part) => void = () => {},
): Promise<WholeMessage> {
  let text = "";
  let reasoning = "";
  let toolCalls: readonly ToolCallSoFar[] = [];
  const chances: ShownChance[] = [];
  const outcome = await generate(engine, order, signal, (part) => {
    const shown = text === "" && order.prefill === undefined ? part.text.trimStart() : part.text;
    text += shown;
    reasoning += part.reasoning;
    toolCalls = part.toolCalls ?? toolCalls;
    chances.push(...part.chances);
    pass({ ...part, text: shown });
  });
  return { text, reasoning, toolCalls, chances, outcome };
}
