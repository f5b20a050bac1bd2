/**
 * The part of `@fugood/llama.node` that is used here, in types of our own: the package ships sources that do not pass a strict
 * check. It is loaded by `require` so that a bundle leaves it where npm put it, beside its platform's binary.
 */
import { createRequire } from "node:module";

export interface NativeTimings {
  readonly cache_n: number;
  readonly prompt_n: number;
  readonly prompt_ms: number;
  readonly prompt_per_token_ms: number;
  readonly prompt_per_second: number;
  readonly predicted_n: number;
  readonly predicted_ms: number;
  readonly predicted_per_token_ms: number;
  readonly predicted_per_second: number;
  /** Tokens that speculative decoding guessed, and those of them that the model chose too. */
  readonly draft_n?: number;
  readonly draft_n_accepted?: number;
}

export interface NativeToolCall {
  readonly id?: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** What a callback of a queued completion brings: a token while it has `token`, the end otherwise. */
export interface NativeEvent {
  readonly requestId: number;
  readonly token?: string;
  readonly probs?: readonly { readonly tok: number; readonly prob: number }[];
  /** Parsed so far, whole, not the difference; only where a chat format was asked for. */
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly NativeToolCall[];
  readonly stopped_eos?: boolean;
  readonly stopped_limit?: boolean;
  readonly stopped_word?: boolean;
  readonly context_full?: boolean;
  /** Tokens generated, whatever the name says. `tokens_predicted` is wrong for a slot that was cancelled before. */
  readonly tokens_evaluated?: number;
  readonly timings?: NativeTimings;
}

export interface FormattedChat {
  readonly prompt: string;
  readonly chat_format: number;
  readonly grammar: string;
  readonly grammar_lazy: boolean;
  readonly grammar_triggers: readonly unknown[];
  readonly generation_prompt?: string;
  readonly thinking_start_tag?: string;
  readonly thinking_end_tag?: string;
  readonly thinking_forced_open?: boolean;
  readonly preserved_tokens: readonly string[];
  readonly additional_stops: readonly string[];
  readonly chat_parser: string;
}

export interface NativeModel {
  readonly desc: string;
  readonly nEmbd: number;
  readonly nParams: number;
  readonly size: number;
  readonly chatTemplates: {
    readonly llamaChat: boolean;
    readonly jinja: {
      readonly default: boolean;
      readonly defaultCaps: Readonly<Record<"tools" | "toolCalls" | "systemRole" | "parallelToolCalls", boolean>>;
    };
  };
  readonly metadata: Readonly<Record<string, string>>;
}

export interface NativeContext {
  getModelInfo(): NativeModel;
  getUsedDevices(): string[];
  getFormattedChat(messages: unknown, template: string | undefined, options: object): FormattedChat | string;
  tokenize(text: string): Promise<{ readonly tokens: Int32Array }>;
  detokenize(tokens: readonly number[]): Promise<string>;
  initMultimodal(options: { path: string; use_gpu: boolean }): boolean;
  getMultimodalSupport(): { readonly vision: boolean; readonly audio: boolean };
  enableParallelMode(options: { n_parallel: number; n_batch: number }): boolean;
  queueCompletion(options: object, callback: (error: unknown, event: NativeEvent) => void): { requestId: number };
  queueEmbedding(
    text: string,
    options: { embd_normalize: number },
    callback: (error: unknown, result: { readonly embedding: readonly number[] }) => void,
  ): { requestId: number };
  cancelRequest(requestId: number): void;
  getParallelStatus(): { readonly requests: readonly { readonly request_id: number; readonly state: string }[] };
}

interface NativeClass {
  new (options: object): NativeContext;
}

interface BindingPackage {
  loadModule(): Promise<{ readonly LlamaContext?: NativeClass; readonly default?: { LlamaContext?: NativeClass } }>;
  readonly BuildInfo: { readonly number: number | string; readonly commit: string };
}

export interface Binding {
  readonly Context: NativeClass;
  readonly build: string;
}

export async function loadBinding(): Promise<Binding> {
  const { loadModule, BuildInfo } = createRequire(import.meta.url)("@fugood/llama.node") as BindingPackage;
  const loaded = await loadModule();
  const Context = loaded.LlamaContext ?? loaded.default?.LlamaContext;
  if (Context === undefined)
    throw new Error(
      `@fugood/llama.node has no binary for ${process.platform}-${process.arch}; install llama-server in PATH`,
    );
  return { Context, build: `b${BuildInfo.number}-${String(BuildInfo.commit).slice(0, 7)}` };
}
