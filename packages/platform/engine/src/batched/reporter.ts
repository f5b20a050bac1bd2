import { randomUUID } from "node:crypto";
import type { ParsedMessage } from "../chat/message-parser.ts";
import type { Ending, FromModel, Piece, TokenChances, ToolCallSoFar } from "../model/messages.ts";
import type { Generation, Step } from "./generation.ts";

/** What was already passed on of one answer. */
interface Passed {
  text: string;
  tokens: number[];
  content: string;
  reasoning: string;
  readonly ids: string[];
}

/** Each message wakes the other thread: where nobody reads along, this many tokens share one. */
const together = 32;

/** Passes on what is new of each answer, and only that. */
export class Reporter {
  readonly #post: (message: FromModel) => void;
  readonly #passed = new Map<number, Passed>();

  constructor(post: (message: FromModel) => void) {
    this.#post = post;
  }

  answer(id: number, value: unknown): void {
    this.#post({ is: "answer", id, value });
  }

  refuse(id: number, why: string): void {
    this.#post({ is: "refused", id, why });
  }

  step({ id, run }: Generation, step: Step, chances: TokenChances | undefined): void {
    const passed = this.#passedOf(id);
    passed.tokens.push(step.token);
    const more = chances === undefined ? {} : { chances };
    if (step.parsed === undefined) passed.text += step.text;
    if (step.parsed !== undefined) this.#postPiece(id, { ...parsedPiece(step.parsed, passed), ...more });
    else if (run.isLive || chances !== undefined || passed.tokens.length >= together) this.#postPiece(id, { ...more });
  }

  end(id: number, ending: Ending): void {
    const passed = this.#passed.get(id);
    if (passed !== undefined && passed.tokens.length > 0) this.#postPiece(id, {});
    this.#passed.delete(id);
    this.#post({ is: "end", id, ending });
  }

  #postPiece(id: number, more: Partial<Piece>): void {
    const passed = this.#passedOf(id);
    const { text, tokens: ids } = passed;
    this.#post({ is: "piece", id, piece: { text, tokens: ids.length, ids, ...more } });
    passed.text = "";
    passed.tokens = [];
  }

  #passedOf(id: number): Passed {
    const known = this.#passed.get(id) ?? { text: "", tokens: [], content: "", reasoning: "", ids: [] };
    this.#passed.set(id, known);
    return known;
  }
}

function parsedPiece({ content, reasoning, calls }: ParsedMessage, passed: Passed): Partial<Piece> {
  const text = grown(passed.content, content);
  const thought = grown(passed.reasoning, reasoning);
  passed.content += text;
  passed.reasoning += thought;
  const toolCalls = calls.map((call, at): ToolCallSoFar => {
    passed.ids[at] ??= call.id || `call_${randomUUID().replaceAll("-", "").slice(0, 24)}`;
    return { id: passed.ids[at], name: call.name, arguments: call.arguments };
  });
  return { text, ...(thought === "" ? {} : { reasoning: thought }), ...(toolCalls.length === 0 ? {} : { toolCalls }) };
}

/** A parser may take back what it took for content; only what goes on is passed on. */
const grown = (before: string, now: string): string => (now.startsWith(before) ? now.slice(before.length) : "");
