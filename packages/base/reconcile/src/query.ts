import { canonicalJson, type Millis } from "@trivium/std";
import type { Query } from "./shape.ts";

/** Declares something that only the world outside knows. Names are unique in a process. */
export function defineQuery<A, R>(
  name: string,
  options: { readonly ttl: Millis; readonly absentTtl?: Millis; readonly timeout?: Millis },
): Query<A, R> {
  return { name, ...options };
}

/** Finds the answer, or `undefined` when the world says that there is none. What it throws is reported as unreachable. */
export type Answer<A, R> = (args: A, call: { readonly signal: AbortSignal }) => Promise<R | undefined>;

/** A question together with who answers it. */
export interface Answered<A = unknown, R = unknown> {
  readonly query: Query<A, R>;
  answer(args: A, call: { readonly signal: AbortSignal }): Promise<R | undefined>;
}

export function answer<A, R>(query: Query<A, R>, find: Answer<A, R>): Answered<A, R> {
  return { query, answer: find };
}

/** The same for equal arguments, whatever the order of their keys. */
export function askingKey<A>(query: Query<A, unknown>, args: A): string {
  return `${query.name} ${canonicalJson(args)}`;
}
