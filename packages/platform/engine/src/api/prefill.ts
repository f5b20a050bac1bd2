import { badRequest } from "./api-error.ts";
import { isObject } from "./fields.ts";

export interface Prefilled {
  readonly messages: readonly unknown[];
  /** How the answer begins, in the words of the caller; undefined where the model writes all of it. */
  readonly prefill: string | undefined;
}

/** A chat whose last message is of the assistant is continued in that message, as llama-server does it. */
export function takePrefill(messages: readonly unknown[]): Prefilled {
  const last = messages.at(-1);
  if (!isOfAssistant(last)) return { messages, prefill: undefined };
  if (isOfAssistant(messages.at(-2)))
    throw badRequest("Cannot have 2 or more assistant messages at the end of the list.");
  if (Array.isArray(last.tool_calls) && last.tool_calls.length > 0)
    throw badRequest("Cannot continue an assistant message that contains tool calls.");
  return { messages: messages.slice(0, -1), prefill: textOf(last.content) };
}

const isOfAssistant = (message: unknown): message is Readonly<Record<string, unknown>> =>
  isObject(message) && message.role === "assistant";

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return String(content ?? "");
  return content.map((part) => (isObject(part) ? String(part.text ?? "") : "")).join("\n\n");
}
