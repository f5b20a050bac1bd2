import type { EventStream } from "../http/reply.ts";
import type { ToolCallSoFar } from "../model/messages.ts";
import { type AnswerHead, finishOf } from "./answer.ts";
import type { Outcome, Part, ShownChance } from "./generation.ts";

/** One choice of a streamed chat answer: parts in, chunks out. */
export class ChoiceStream {
  readonly #events: EventStream;
  readonly #index: number;
  readonly #tail: string;
  #isBeginning = true;
  #hasSpoken = false;
  #calls: readonly ToolCallSoFar[] = [];
  #held = "";
  #isHolding = false;

  constructor(
    events: EventStream,
    head: AnswerHead,
    { index, prefill }: { index: number; prefill?: string | undefined },
  ) {
    const { id, created, model, system_fingerprint } = head;
    this.#events = events;
    this.#index = index;
    this.#hasSpoken = prefill !== undefined;
    this.#tail = `,${JSON.stringify({ created, id, model, system_fingerprint, object: "chat.completion.chunk" }).slice(1)}`;
  }

  take(part: Part): void {
    this.#begin();
    if (part.reasoning !== "") this.#delta(`{"reasoning_content":${JSON.stringify(part.reasoning)}}`);
    // Models begin an answer with the space between words.
    const text = this.#hasSpoken ? part.text : part.text.trimStart();
    if (text !== "") this.#hasSpoken = true;
    if (part.chances.length > 0) this.#say(text, part.chances);
    else if (text !== "") this.#hold(text);
    if (part.toolCalls !== undefined) this.#takeCalls(part.toolCalls);
  }

  finish(outcome: Outcome, timings: Outcome["timings"] | undefined): void {
    this.#begin();
    this.#release();
    const reason = this.#calls.length > 0 && outcome.stopType !== "limit" ? "tool_calls" : finishOf(outcome);
    const more = timings === undefined ? "" : `,"timings":${JSON.stringify(timings)}`;
    this.#chunk(`"finish_reason":"${reason}"`, "{}", more);
  }

  #begin(): void {
    if (!this.#isBeginning) return;
    this.#isBeginning = false;
    this.#delta('{"role":"assistant","content":null}');
  }

  /** While the client does not keep up, text grows here in one string instead of in many chunks in the socket's buffer. */
  #hold(text: string): void {
    if (!this.#isHolding && !this.#events.isFull) {
      this.#say(text, []);
      return;
    }
    this.#held += text;
    if (this.#isHolding) return;
    this.#isHolding = true;
    this.#events.onceDrained(() => this.#release());
  }

  #release(): void {
    this.#isHolding = false;
    const held = this.#held;
    this.#held = "";
    if (held !== "") this.#say(held, []);
  }

  #say(text: string, chances: readonly ShownChance[]): void {
    const more = chances.length === 0 ? "" : `,"logprobs":${JSON.stringify({ content: chances })}`;
    this.#chunk('"finish_reason":null', `{"content":${JSON.stringify(text)}}${more}`, "");
  }

  #takeCalls(calls: readonly ToolCallSoFar[]): void {
    for (const [index, call] of calls.entries()) {
      const before = this.#calls[index];
      if (before === undefined) {
        const begun = {
          index,
          id: call.id,
          type: "function",
          function: { name: call.name, arguments: call.arguments },
        };
        this.#delta(JSON.stringify({ tool_calls: [begun] }));
        continue;
      }
      if (!call.arguments.startsWith(before.arguments) || call.arguments === before.arguments) continue;
      const grown = { index, function: { arguments: call.arguments.slice(before.arguments.length) } };
      this.#delta(JSON.stringify({ tool_calls: [grown] }));
    }
    this.#calls = calls;
  }

  #delta(delta: string): void {
    this.#chunk('"finish_reason":null', delta, "");
  }

  #chunk(finish: string, delta: string, more: string): void {
    const tail = more === "" ? this.#tail : `${this.#tail.slice(0, -1)}${more}}`;
    this.#events.send(`{"choices":[{${finish},"index":${this.#index},"delta":${delta}}]${tail}`);
  }
}
