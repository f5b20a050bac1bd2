import type { Binding, FormattedChat, NativeContext } from "../binding.ts";
import type { LoadOrder } from "../model/messages.ts";

/**
 * Chat templates as llama.cpp reads them: prompts, the grammar of tool calls and schemas, and how answers are to be parsed. Only
 * the vocabulary of the model is loaded for it.
 */
export class ChatTemplates {
  readonly #context: NativeContext;
  readonly #useJinja: boolean;

  constructor({ Context }: Binding, { path, chatTemplate, useJinja }: LoadOrder) {
    this.#useJinja = useJinja;
    this.#context = new Context({
      model: path,
      vocab_only: true,
      n_ctx: 64,
      n_threads: 1,
      use_mmap: true,
      ...(chatTemplate === undefined ? {} : { chat_template: chatTemplate }),
    });
  }

  about(): ReturnType<NativeContext["getModelInfo"]> {
    return this.#context.getModelInfo();
  }

  format(messages: unknown, options: Readonly<Record<string, unknown>>): FormattedChat {
    const formatted = this.#context.getFormattedChat(messages, undefined, { ...options, jinja: this.#useJinja });
    return typeof formatted === "string" ? plainChat(formatted) : formatted;
  }
}

/** A template without anything to parse or to keep to. */
export const plainChat = (prompt: string): FormattedChat => ({
  prompt,
  chat_format: 0,
  grammar: "",
  grammar_lazy: false,
  grammar_triggers: [],
  preserved_tokens: [],
  additional_stops: [],
  chat_parser: "",
});
