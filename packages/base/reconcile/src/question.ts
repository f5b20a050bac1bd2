import { canonicalJson, type Millis } from "@trivium/std";
import type { Question } from "./shape.ts";

/** Declares something that only the world outside knows. Names are unique in a process. */
export function defineQuestion<A, R>(
  name: string,
  options: { readonly ttl: Millis; readonly absentTtl?: Millis; readonly timeout?: Millis },
): Question<A, R> {
  return { name, ...options };
}

/** Finds the answer, or `undefined` when the world says that there is none. What it throws is reported as unreachable. */
export type Answer<A, R> = (args: A, call: { readonly signal: AbortSignal }) => Promise<R | undefined>;

/** A question together with who answers it. */
export interface Answered<A = unknown, R = unknown> {
  readonly question: Question<A, R>;
  answer(args: A, call: { readonly signal: AbortSignal }): Promise<R | undefined>;
}

export function answer<A, R>(question: Question<A, R>, find: Answer<A, R>): Answered<A, R> {
  return { question, answer: find };
}

/** The same for equal arguments, whatever the order of their keys. */
export function askingKey<A>(question: Question<A, unknown>, args: A): string {
  return `${question.name} ${canonicalJson(args)}`;
}
