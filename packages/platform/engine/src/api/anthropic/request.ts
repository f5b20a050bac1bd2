/** Requests of Anthropic's Messages API, as requests for a chat. */
import { badRequest } from "../api-error.ts";
import { type Body, isObject, objectField, textField } from "../fields.ts";

/** What a chat is asked with when the caller, other than that API wants, gives no limit. */
const defaultLimit = 4096;

const passedOn = ["temperature", "top_p", "top_k", "stream", "chat_template_kwargs"] as const;

export function chatOfAnthropic(body: Body): Body {
  if (body.messages === undefined || body.messages === null) throw badRequest("'messages' is required");
  if (!Array.isArray(body.messages)) throw badRequest("Expected 'messages' to be an array");
  const system = textOfBlocks(body.system);
  const passed = passedOn.flatMap((key) => (body[key] === undefined ? [] : [[key, body[key]] as const]));
  return {
    ...Object.fromEntries(passed),
    messages: [...(system === "" ? [] : [{ role: "system", content: system }]), ...body.messages.flatMap(messagesOf)],
    max_tokens: body.max_tokens ?? defaultLimit,
    ...(body.stop_sequences === undefined ? {} : { stop: body.stop_sequences }),
    ...(Array.isArray(body.tools) ? { tools: body.tools.map(toolOf), tool_choice: choiceOf(body) } : {}),
  };
}

function textOfBlocks(given: unknown): string {
  if (typeof given === "string") return given;
  if (!Array.isArray(given)) return "";
  return given
    .map((block) => (isObject(block) && block.type === "text" ? (textField(block, "text") ?? "") : ""))
    .join("");
}

function toolOf(tool: unknown): Body {
  if (!isObject(tool)) throw badRequest("Expected each tool to be an object");
  const { name, description = "", input_schema: parameters = {} } = tool;
  return { type: "function", function: { name, description, parameters } };
}

function choiceOf(body: Body): string {
  const type = objectField(body, "tool_choice")?.type;
  return type === "any" || type === "tool" ? "required" : "auto";
}

/** One message may hold several: the results of tools are messages of their own in a chat. */
function messagesOf(message: unknown): unknown[] {
  if (!isObject(message) || !Array.isArray(message.content)) return [message];
  const blocks = message.content.map((block) => {
    if (isObject(block)) return block;
    throw badRequest("Expected each part of 'content' to be an object with a 'type'");
  });
  const ofType = (type: string): Body[] => blocks.filter((block) => block.type === type);
  const content = blocks.flatMap((block) => partOf(block));
  const calls = ofType("tool_use").map(callOf);
  const reasoning = ofType("thinking")
    .map((block) => textField(block, "thinking") ?? "")
    .join("");
  const own =
    content.length + calls.length === 0 && reasoning === ""
      ? []
      : [
          {
            role: message.role,
            content: content.length === 0 ? "" : content,
            ...(calls.length === 0 ? {} : { tool_calls: calls }),
            ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
          },
        ];
  return [...own, ...ofType("tool_result").map(resultOf)];
}

function partOf(block: Body): unknown[] {
  if (block.type === "text") return [{ type: "text", text: block.text }];
  if (block.type !== "image") return [];
  const source = objectField(block, "source") ?? {};
  const url =
    source.type === "base64" ? `data:${source.media_type ?? "image/jpeg"};base64,${source.data ?? ""}` : source.url;
  return [{ type: "image_url", image_url: { url } }];
}

const callOf = (block: Body): Body => ({
  id: textField(block, "id") ?? "",
  type: "function",
  function: { name: textField(block, "name") ?? "", arguments: JSON.stringify(block.input ?? {}) },
});

const resultOf = (block: Body): Body => ({
  role: "tool",
  tool_call_id: textField(block, "tool_use_id") ?? "",
  content: textOfBlocks(block.content),
});
