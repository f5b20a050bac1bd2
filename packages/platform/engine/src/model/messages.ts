import type { FormattedChat, NativeTimings } from "../binding.ts";

/** What the thread with the model is given when it starts. */
export interface LoadOrder {
  readonly path: string;
  readonly mmproj: string | undefined;
  readonly slots: number;
  readonly contextPerSlot: number;
  readonly slotBatch: number;
  readonly embeddingNormalization: number;
  readonly useJinja: boolean;
  readonly options: Readonly<Record<string, unknown>>;
}

export interface LoadedModel {
  readonly build: string;
  readonly description: string;
  readonly embeddingLength: number;
  readonly parameters: number;
  readonly bytes: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly bos: string;
  readonly eos: string;
  readonly caps: Readonly<Record<"tools" | "toolCalls" | "systemRole" | "parallelToolCalls", boolean>>;
  readonly vision: boolean;
  readonly audio: boolean;
}

export interface TokenChance {
  readonly id: number;
  readonly token: string;
  readonly chance: number;
}

export interface ToolCallSoFar {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** A piece of an answer: differences only, whatever native code repeats. */
export interface Piece {
  readonly text: string;
  /** How many tokens it is made of. */
  readonly tokens: number;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ToolCallSoFar[];
  readonly chances?: readonly TokenChance[];
}

export interface Ending {
  readonly why: "eos" | "limit" | "word" | "full" | "cancelled" | "failed";
  readonly message?: string;
  readonly tokens: number;
  readonly timings: NativeTimings;
}

export interface PreparedChat extends Omit<FormattedChat, "grammar_triggers"> {
  readonly grammar_triggers: readonly unknown[];
  readonly promptTokens: number;
}

/** Questions with one answer each. */
export interface Requests {
  formatChat: [{ messages: unknown; options: Readonly<Record<string, unknown>> }, PreparedChat];
  /** A plain prompt as the model is to see it, and how long that is. */
  prepare: [{ text: string }, { prompt: string; promptTokens: number }];
  tokenize: [{ text: string; withBos: boolean }, number[]];
  detokenize: [{ tokens: readonly number[] }, string];
  textOf: [{ tokens: readonly number[] }, string];
  pieces: [{ tokens: readonly number[] }, string[]];
  embed: [{ text: string }, number[]];
}

export interface Run {
  readonly options: Readonly<Record<string, unknown>>;
  /** Somebody reads along: tokens are passed on one by one, not by the dozen. */
  readonly isLive: boolean;
}

export type ToModel =
  | { readonly do: "ask"; readonly id: number; readonly request: keyof Requests; readonly given: unknown }
  | { readonly do: "run"; readonly id: number; readonly run: Run }
  | { readonly do: "cancel"; readonly id: number };

export type FromModel =
  | { readonly is: "loaded"; readonly model: LoadedModel }
  | { readonly is: "unloadable"; readonly why: string }
  | { readonly is: "answer"; readonly id: number; readonly value: unknown }
  | { readonly is: "refused"; readonly id: number; readonly why: string }
  | { readonly is: "piece"; readonly id: number; readonly piece: Piece }
  | { readonly is: "end"; readonly id: number; readonly ending: Ending };
