import type { FormattedChat, NativeTimings } from "../binding.ts";
import type { SpeculationSettings } from "../flags/speculation.ts";

export type Timings = NativeTimings;

/** What the thread with the model is given when it starts. */
export interface LoadOrder {
  readonly path: string;
  readonly mmproj: string | undefined;
  readonly slots: number;
  readonly contextPerSlot: number;
  /** Tokens that are computed at once. */
  readonly batchSize: number;
  readonly chatTemplate: string | undefined;
  readonly useJinja: boolean;
  readonly file: ModelFile;
  readonly options: Readonly<Record<string, unknown>>;
  readonly speculation: SpeculationSettings | undefined;
  /** The folder of a build for GPUs; left out, the model is computed on the processor. */
  readonly build: string | undefined;
  /** Where the thread tells since when it has been choosing a token. */
  readonly sampling: SharedArrayBuffer;
}

/** What is known of the model's file before it is loaded. */
export interface ModelFile {
  readonly architecture: string;
  readonly bytes: number;
  readonly vocabulary: number;
  /** Whether a token stands between two texts. */
  readonly separates: boolean;
  /** How far back the model looks, where that is not everything. */
  readonly window: number | undefined;
  /** How many numbers a head of its attention compares, and how many heads there are; undefined where layers differ. */
  readonly heads: { readonly size: number; readonly count: number } | undefined;
  /** How vectors of tokens become one, where the file says so. */
  readonly pooling: Pooling | undefined;
}

/** By the numbers of the file. */
export const poolings = ["none", "mean", "cls", "last", "rank"] as const;
export type Pooling = (typeof poolings)[number];

export interface LoadedModel {
  readonly build: string;
  readonly description: string;
  readonly embeddingLength: number;
  readonly parameters: number;
  readonly bytes: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly bos: string;
  readonly eos: string;
  /** llama.cpp's number of the kind of vocabulary, where the binding reports it. */
  readonly vocabularyType?: number;
  readonly caps: Readonly<Record<"tools" | "toolCalls" | "systemRole" | "parallelToolCalls", boolean>>;
  readonly vision: boolean;
  readonly audio: boolean;
  /** Names of the GPUs that it can use. */
  readonly gpus: readonly string[];
}

export interface TokenChance {
  readonly id: number;
  readonly token: string;
  readonly bytes: readonly number[];
  readonly chance: number;
}

/** The token that was picked, and the likeliest ones. */
export interface TokenChances {
  readonly picked: TokenChance;
  readonly top: readonly TokenChance[];
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
  /** Which ones, where the binding reports them. */
  readonly ids?: readonly number[];
  readonly reasoning?: string;
  readonly toolCalls?: readonly ToolCallSoFar[];
  readonly chances?: TokenChances;
}

export interface Ending {
  readonly why: "eos" | "limit" | "word" | "full" | "cancelled" | "failed";
  readonly message?: string;
  readonly tokens: number;
  readonly timings: Timings;
  /** How often tokens were guessed ahead. */
  readonly guesses?: number;
  /** What the slot knows now: the next prompt that begins like this is read faster. */
  readonly cached: readonly number[];
}

/** A prompt as the model is to see it. */
export interface Prompt {
  readonly text: string;
  readonly tokens: readonly number[];
}

export interface PreparedChat extends Omit<FormattedChat, "grammar_triggers"> {
  readonly grammar_triggers: readonly unknown[];
  readonly tokens: readonly number[];
}

/** Questions with one answer each. */
export interface Requests {
  /** A prefill stands after the prompt of the template. */
  formatChat: [
    { messages: unknown; options: Readonly<Record<string, unknown>>; prefill: string | undefined },
    PreparedChat,
  ];
  /** A plain prompt of texts and tokens. */
  prepare: [{ parts: readonly (string | number)[] }, Prompt];
  /** A query and a document, with the tokens that the model expects between them. */
  pair: [{ query: string; document: string }, Prompt];
  tokenize: [{ text: string; withBos: boolean; readSpecial: boolean }, number[]];
  detokenize: [{ tokens: readonly number[] }, string];
  /** The bytes of each token: one may be a part of a character. */
  pieces: [{ tokens: readonly number[] }, Uint8Array[]];
  /** One vector, or one for each token where they are not pooled. */
  embed: [{ prompt: Prompt }, number[][]];
}

export interface Run {
  readonly prompt: Prompt;
  readonly slot: number;
  readonly options: Readonly<Record<string, unknown>>;
  /** Somebody reads along: tokens are passed on one by one, not by the dozen. */
  readonly isLive: boolean;
}

/** The thread's side: one for each binding. */
export interface ModelThread {
  take(message: ModelMessage): void;
}

/** The first message is `load`, and it is sent once. */
export type ToModel =
  | { readonly do: "load" }
  | { readonly do: "ask"; readonly id: number; readonly request: keyof Requests; readonly given: unknown }
  | { readonly do: "run"; readonly id: number; readonly run: Run }
  | { readonly do: "cancel"; readonly id: number };

/** What a model that is loaded is asked. */
export type ModelMessage = Exclude<ToModel, { do: "load" }>;

export type FromModel =
  | { readonly is: "loaded"; readonly model: LoadedModel }
  | { readonly is: "unloadable"; readonly why: string }
  | { readonly is: "answer"; readonly id: number; readonly value: unknown }
  | { readonly is: "refused"; readonly id: number; readonly why: string }
  | { readonly is: "piece"; readonly id: number; readonly piece: Piece }
  | { readonly is: "end"; readonly id: number; readonly ending: Ending };
