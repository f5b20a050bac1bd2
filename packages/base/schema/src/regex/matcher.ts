import { parseRegex } from "./parse.ts";
import { compileProgram, type Instruction, type Program } from "./program.ts";
import type { Assertion } from "./syntax.ts";

/** More states than this are forgotten and made anew, so that a pattern cannot fill the memory. */
const maxStates = 2000;

/**
 * Tests texts in time proportional to their length, whatever the pattern: JavaScript's own engine tries alternatives one
 * after the other and can be made to run for years. The set of alternatives still alive is a state; states and the ways
 * between them are remembered, so that an ordinary test is one table look-up for each character.
 */
export class Matcher {
  readonly #program: Program;
  readonly #boundaries: readonly number[];
  readonly #asciiClass: Uint16Array;
  /** Assertions that look at the characters around them make states depend on more than the set, so nothing is remembered. */
  readonly #isContextual: boolean;
  #states = new Map<string, State>();

  constructor(pattern: string) {
    this.#program = compileProgram(parseRegex(pattern));
    this.#boundaries = boundariesOf(this.#program.code);
    this.#asciiClass = Uint16Array.from({ length: 128 }, (_, code) => this.#search(code));
    this.#isContextual = this.#program.code.some(
      (step) => step.do === "assert" && step.at !== "textStart" && step.at !== "textEnd",
    );
  }

  /** Whether the pattern occurs anywhere in the text. */
  test(text: string): boolean {
    return this.#isContextual ? this.find(text) !== undefined : this.#run(text);
  }

  #run(text: string): boolean {
    let state = this.#stateOf([], "start");
    let index = 0;
    for (; index < text.length; index++) {
      if (state.isMatch) return true;
      let code = text.charCodeAt(index);
      if (code >= 0xd800 && code < 0xdc00) {
        code = text.codePointAt(index) as number;
        if (code > 0xffff) index++;
      }
      const kind = code < 128 ? (this.#asciiClass[code] as number) : this.#search(code);
      state = state.ways[kind] ?? this.#step(state, kind);
    }
    return state.isMatch || this.#endsWell(state, text.length === 0);
  }

  #step(state: State, kind: number): State {
    const sample = this.#boundaries[kind] as number;
    const targets: number[] = [];
    for (const at of state.reads) {
      const step = this.#program.code[at] as Instruction;
      if (step.do === "read" && contains(step.ranges, sample)) targets.push(step.next);
    }
    const next = this.#stateOf(targets, "middle");
    state.ways[kind] = next;
    return next;
  }

  /** A search starts afresh at each character, so the beginning of the program is part of every state. */
  #stateOf(targets: readonly number[], where: "start" | "middle"): State {
    const alive = this.#close([...targets, this.#program.start], (at) => at === "textStart" && where === "start");
    const key = `${where === "start" ? "^" : ""}${alive.join()}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    if (this.#states.size >= maxStates) this.#states = new Map();
    const code = this.#program.code;
    const state: State = {
      alive,
      reads: alive.filter((at) => code[at]?.do === "read"),
      isMatch: alive.some((at) => code[at]?.do === "match"),
      ways: [],
    };
    this.#states.set(key, state);
    return state;
  }

  #endsWell(state: State, isEmpty: boolean): boolean {
    const closed = this.#close(state.alive, (at) => at === "textEnd" || (at === "textStart" && isEmpty));
    return closed.some((at) => this.#program.code[at]?.do === "match");
  }

  /** Everything reachable without reading a character. Assertions that do not hold stay in the set: the end may make them true. */
  #close(from: readonly number[], holds: (at: Assertion) => boolean): number[] {
    const seen = new Set<number>();
    const stack = [...from];
    while (stack.length > 0) {
      const at = stack.pop() as number;
      if (seen.has(at)) continue;
      seen.add(at);
      const step = this.#program.code[at] as Instruction;
      if (step.do === "split") stack.push(step.next, step.other);
      else if (step.do === "assert" && holds(step.at)) stack.push(step.next);
    }
    return [...seen].filter((at) => this.#program.code[at]?.do !== "split").sort((a, b) => a - b);
  }

  /** The leftmost occurrence at or after `from`, with Go's preferences between alternatives. */
  find(text: string, from = 0): { start: number; end: number } | undefined {
    let threads: Thread[] = [];
    let found: { start: number; end: number } | undefined;
    for (let index = from; index <= text.length; ) {
      const context = contextAt(text, index);
      if (found === undefined) threads.push({ at: this.#program.start, start: index });
      const code = index < text.length ? (text.codePointAt(index) as number) : -1;
      const next: Thread[] = [];
      found = this.#advance(threads, { context, code, index }, next) ?? found;
      if (found !== undefined && next.length === 0) break;
      threads = next;
      index += code > 0xffff ? 2 : 1;
    }
    return found;
  }

  /** Follows each thread in order of preference; a match cuts off the threads after it. */
  #advance(
    threads: readonly Thread[],
    here: { context: Context; code: number; index: number },
    next: Thread[],
  ): { start: number; end: number } | undefined {
    const seen = new Set<number>();
    for (const thread of threads) {
      const stack = [thread.at];
      while (stack.length > 0) {
        const at = stack.pop() as number;
        if (seen.has(at)) continue;
        seen.add(at);
        const step = this.#program.code[at] as Instruction;
        if (step.do === "match") return { start: thread.start, end: here.index };
        if (step.do === "split") stack.push(step.other, step.next);
        else if (step.do === "assert") {
          if (holdsAt(step.at, here.context)) stack.push(step.next);
        } else if (here.code >= 0 && contains(step.ranges, here.code)) {
          next.push({ at: step.next, start: thread.start });
        }
      }
    }
    return undefined;
  }

  #search(code: number): number {
    let low = 0;
    let high = this.#boundaries.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#boundaries[middle] as number) <= code) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

interface State {
  readonly alive: readonly number[];
  readonly reads: readonly number[];
  readonly isMatch: boolean;
  readonly ways: State[];
}

interface Thread {
  readonly at: number;
  readonly start: number;
}

interface Context {
  readonly isStart: boolean;
  readonly isEnd: boolean;
  readonly before: string;
  readonly after: string;
}

function contextAt(text: string, index: number): Context {
  return {
    isStart: index === 0,
    isEnd: index === text.length,
    before: text[index - 1] ?? "",
    after: text[index] ?? "",
  };
}

function holdsAt(assertion: Assertion, context: Context): boolean {
  const isBoundary = () => /\w/.test(context.before) !== /\w/.test(context.after);
  switch (assertion) {
    case "textStart":
      return context.isStart;
    case "textEnd":
      return context.isEnd;
    case "lineStart":
      return context.isStart || context.before === "\n";
    case "lineEnd":
      return context.isEnd || context.after === "\n";
    case "wordBoundary":
      return isBoundary();
    case "notWordBoundary":
      return !isBoundary();
  }
}

/** First code points of the stretches within which no class of the program tells characters apart. */
function boundariesOf(code: readonly Instruction[]): number[] {
  const starts = new Set([0]);
  for (const step of code) {
    if (step.do !== "read") continue;
    for (let index = 0; index < step.ranges.length; index += 2) {
      starts.add(step.ranges[index] as number);
      starts.add((step.ranges[index + 1] as number) + 1);
    }
  }
  return [...starts].sort((a, b) => a - b);
}

function contains(ranges: readonly number[], code: number): boolean {
  for (let index = 0; index < ranges.length; index += 2) {
    if (code < (ranges[index] as number)) return false;
    if (code <= (ranges[index + 1] as number)) return true;
  }
  return false;
}
