import type { Engine } from "../engine.ts";
import { answerOnly, withoutPrefix } from "../grammar/root-rule.ts";
import type { PreparedChat } from "../model/messages.ts";
import { ModelRefusal } from "../model/model.ts";
import { badRequest, serverError } from "./api-error.ts";
import { checkSchema } from "./bounds.ts";
import { type Body, booleanField, isObject, numberField, objectField, textField } from "./fields.ts";
import type { Order } from "./generation.ts";
import { takePrefill } from "./prefill.ts";
import { chatFormatOf, checkGrammar, type Format, samplingOf } from "./sampling.ts";

export interface ChatRequest {
  readonly isStream: boolean;
  readonly wantsUsage: boolean;
  readonly count: number;
  readonly chances: number;
  /** One for each choice; they differ in the seed. */
  readonly orders: readonly Order[];
}

/** Where a picture stands in a prompt; the word is the binding's. */
const mediaMark = "<__media__>";

export async function readChatRequest(engine: Engine, body: Body): Promise<ChatRequest> {
  const { messages, media } = messagesOf(body, engine);
  const chances = chancesOf(body);
  const sampling = samplingOf(body, engine.settings, chances);
  const format = chatFormatOf(body, engine.settings);
  const tools = toolsOf(body);
  for (const tool of tools) checkSchema(tool);
  if (tools.length > 0 && textField(body, "grammar"))
    throw badRequest("Cannot use custom grammar constraints with tools.");
  const count = countOf(body, engine);
  const chat = await formatChat(engine, messages, templateOptions(engine, body, format, tools));
  if (tools.length > 0 && toolChoiceOf(body) === "required" && grammarOf(chat, format) === "")
    throw badRequest("The chat template of this model does not support tool calls, so they cannot be required");
  const native = {
    ...nativeOptions(engine, chat, format, tools.length > 0),
    ...(media.length > 0 ? { media_paths: media } : {}),
  };
  const orders = Array.from({ length: count }, (_, index): Order => {
    const seed = Number(sampling.native.seed);
    return {
      prompt: { text: chat.prompt, tokens: chat.tokens },
      sampling,
      prefill: chat.prefill,
      native: index > 0 && seed >= 0 ? { ...native, seed: seed + index } : native,
    };
  });
  return {
    isStream: booleanField(body, "stream") ?? false,
    wantsUsage: booleanField(objectField(body, "stream_options") ?? {}, "include_usage") ?? false,
    count,
    chances,
    orders,
  };
}

export async function formatChat(
  engine: Engine,
  given: readonly unknown[],
  options: Body,
): Promise<PreparedChat & Pick<Order, "prefill">> {
  const { messages, prefill } = engine.settings.chat.continuesAnswers
    ? takePrefill(given)
    : { messages: given, prefill: undefined };
  const chosen = prefill === undefined ? options : { ...options, add_generation_prompt: true };
  try {
    return { ...(await engine.model.ask("formatChat", { messages, options: chosen, prefill })), prefill };
  } catch (error) {
    if (!(error instanceof ModelRefusal)) throw error;
    if (/schema conversion failed/i.test(error.message))
      throw badRequest(`JSON schema conversion failed: ${error.message.split("\n").slice(1).join(" ").trim()}`);
    throw serverError(error.message);
  }
}

export function templateOptions(engine: Engine, body: Body, format: Format, tools: readonly unknown[]): Body {
  const { chat } = engine.settings;
  const kwargs = { ...chat.templateArguments, ...objectField(body, "chat_template_kwargs") };
  const thinking = kwargs.enable_thinking;
  if (format.schema !== undefined && !isObject(format.schema)) throw badRequest("JSON schema must be an object");
  return {
    reasoning_format: textField(body, "reasoning_format") ?? chat.reasoningFormat,
    enable_thinking: typeof thinking === "boolean" ? thinking : chat.enableThinking,
    add_generation_prompt: booleanField(body, "add_generation_prompt") ?? true,
    // Each value is JSON of its own.
    chat_template_kwargs: Object.fromEntries(
      Object.entries(kwargs).map(([key, value]) => [key, JSON.stringify(value)]),
    ),
    ...(tools.length > 0
      ? {
          tools,
          tool_choice: toolChoiceOf(body),
          parallel_tool_calls: booleanField(body, "parallel_tool_calls") ?? false,
        }
      : {}),
    ...(format.schema === undefined ? {} : { response_format: schemaFormat(format.schema as Body) }),
  };
}

/** A schema without a word in it would be no constraint at all. */
function schemaFormat(schema: Body): Body {
  return {
    type: "json_schema",
    json_schema: { schema: Object.keys(schema).length === 0 ? { type: "object" } : schema },
  };
}

function nativeOptions(engine: Engine, chat: PreparedChat, format: Format, hasTools: boolean): Body {
  const { reasoningFormat, thinkingBudget, thinkingBudgetMessage } = engine.settings.chat;
  const grammar = grammarOf(chat, format);
  if (grammar !== "") checkGrammar(grammar);
  const reasons = reasoningFormat !== "none" && (chat.thinking_start_tag ?? "") !== "";
  return {
    stop: chat.additional_stops,
    preserved_tokens: [...chat.preserved_tokens, ...triggerWords(chat)],
    ...(grammar === "" ? {} : { grammar }),
    ...(grammar !== "" && chat.grammar_lazy ? { grammar_lazy: true, grammar_triggers: chat.grammar_triggers } : {}),
    // The parser reads all text again with every token, so it runs only where there is something to find.
    ...((hasTools || reasons) && chat.chat_format > 0
      ? {
          chat_format: chat.chat_format,
          chat_parser: chat.chat_parser,
          generation_prompt: chat.generation_prompt ?? "",
          reasoning_format: reasoningFormat,
        }
      : {}),
    ...(reasons && thinkingBudget >= 0
      ? {
          thinking_budget_tokens: thinkingBudget,
          thinking_budget_message: thinkingBudgetMessage ?? "",
          thinking_start_tag: chat.thinking_start_tag,
          thinking_end_tag: chat.thinking_end_tag,
          generation_prompt: chat.generation_prompt ?? "",
        }
      : {}),
  };
}

/** Native code ends the process over a trigger that is one token and not kept whole. */
function triggerWords({ grammar_triggers }: PreparedChat): string[] {
  const wordType = 1;
  return grammar_triggers.flatMap((trigger) =>
    isObject(trigger) && trigger.type === wordType && typeof trigger.value === "string" ? [trigger.value] : [],
  );
}

function grammarOf(chat: PreparedChat, format: Format): string {
  if (format.grammar !== undefined) return format.grammar;
  if (format.schema !== undefined) return answerOnly(chat.grammar, chat.generation_prompt ?? "");
  return withoutPrefix(chat.grammar, chat.generation_prompt ?? "");
}

/** How many choices are wanted: at most one for each slot. */
export function countOf(body: Body, engine: Engine): number {
  const count = numberField(body, "n") ?? 1;
  const most = engine.capacity.slots;
  if (!Number.isInteger(count) || count < 1 || count > most)
    throw badRequest(`Field 'n': Value must be between 1 <= value <= ${most}, but got ${count}`);
  return count;
}

function chancesOf(body: Body): number {
  const top = numberField(body, "top_logprobs");
  if (booleanField(body, "logprobs")) return Math.min(20, Math.max(1, top ?? 1));
  if (top !== undefined) throw badRequest("top_logprobs requires logprobs to be set to true");
  return 0;
}

export function messagesOf(body: Body, engine: Engine): { messages: unknown[]; media: string[] } {
  const given = body.messages;
  if (given === undefined || given === null) throw badRequest("'messages' is required");
  if (!Array.isArray(given)) throw badRequest("Expected 'messages' to be an array");
  const media: string[] = [];
  return { messages: given.map((message) => messageOf(message, engine, media)), media };
}

function messageOf(message: unknown, engine: Engine, media: string[]): unknown {
  if (!isObject(message)) throw badRequest("Expected each message to be an object");
  const { content } = message;
  const role = textField(message, "role");
  if (role === undefined) throw badRequest("Missing 'role' in message");
  if (content === null && role !== "assistant") return { ...message, content: "" };
  if (content === undefined || content === null) {
    if (role !== "assistant") throw badRequest("All non-assistant messages must contain 'content'");
    if (!Array.isArray(message.tool_calls))
      throw badRequest("Assistant message must contain either 'content' or 'tool_calls'!");
    return { ...message, content: "" };
  }
  if (typeof content === "string") return message;
  if (!Array.isArray(content)) throw badRequest("Expected 'content' to be a string or an array");
  return { ...message, content: content.map((part) => partOf(part, engine, media)) };
}

function partOf(part: unknown, engine: Engine, media: string[]): unknown {
  const type = isObject(part) ? textField(part, "type") : undefined;
  if (!isObject(part) || type === undefined)
    throw badRequest("Expected each part of 'content' to be an object with a 'type'");
  if (type === "text") {
    if (typeof part.text !== "string") throw badRequest("Expected a part of type 'text' to have a 'text'");
    return part;
  }
  if (type !== "image_url" && type !== "input_audio") throw badRequest(`unsupported content[].type: ${type}`);
  const isImage = type === "image_url";
  if (!(isImage ? engine.about.vision : engine.about.audio)) {
    const kind = isImage ? "image" : "audio";
    throw serverError(
      `${kind} input is not supported - hint: if this is unexpected, you may need to provide the mmproj`,
    );
  }
  media.push(isImage ? imageOf(objectField(part, "image_url")) : audioOf(objectField(part, "input_audio")));
  return { type: "text", text: mediaMark };
}

/** Native code opens whatever path it is given, so only pictures inside the request are let through. */
function imageOf(image: Body | undefined): string {
  const url = image === undefined ? undefined : textField(image, "url");
  if (url === undefined || !url.startsWith("data:")) throw badRequest("image_url.url must be a data: URL");
  return url;
}

function audioOf(audio: Body | undefined): string {
  const format = audio === undefined ? undefined : textField(audio, "format");
  const bytes = audio === undefined ? undefined : textField(audio, "data");
  if (bytes === undefined || (format !== "wav" && format !== "mp3"))
    throw badRequest("input_audio must have 'data' and a 'format' of wav or mp3");
  return bytes.startsWith("data:") ? bytes : `data:audio/${format};base64,${bytes}`;
}

export function toolsOf(body: Body): Body[] {
  const given = body.tools;
  const choice = body.tool_choice;
  if (given === undefined || given === null || choice === "none") return [];
  if (!Array.isArray(given)) throw badRequest("Expected 'tools' to be an array");
  const named = isObject(choice) ? textField(objectField(choice, "function") ?? {}, "name") : undefined;
  const tools = given.map(toolOf);
  if (named === undefined) return tools;
  const chosen = tools.filter((tool) => (tool.function as Body).name === named);
  if (chosen.length === 0) throw badRequest(`tool_choice names a function that is not among the tools: ${named}`);
  return chosen;
}

function toolOf(tool: unknown): Body {
  const described = isObject(tool) ? objectField(tool, "function") : undefined;
  const name = described === undefined ? undefined : textField(described, "name");
  if (name === undefined) throw badRequest("Expected each tool to have a 'function' with a 'name'");
  const parameters = objectField(described!, "parameters") ?? { type: "object", properties: {} };
  return { type: "function", function: { description: "", ...described, name, parameters } };
}

function toolChoiceOf(body: Body): string {
  const choice = body.tool_choice;
  if (choice === undefined || choice === null) return "auto";
  if (isObject(choice)) return "required";
  if (choice === "auto" || choice === "required") return choice;
  throw badRequest(`Invalid tool_choice: ${String(choice)}`);
}
