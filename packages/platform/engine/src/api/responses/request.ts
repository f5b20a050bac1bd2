/** Requests of OpenAI's Responses API, as requests for a chat. */
import { badRequest } from "../api-error.ts";
import { type Body, isObject, objectField, textField } from "../fields.ts";

export function chatOfResponses(body: Body): Body {
  const { input, instructions, tools, max_output_tokens: limit, text, ...rest } = body;
  if (input === undefined || input === null) throw badRequest("'input' is required");
  if (textField(body, "previous_response_id"))
    throw badRequest("'previous_response_id' is not supported; send the whole conversation as 'input'");
  const system = typeof instructions === "string" ? [{ role: "system", content: instructions }] : [];
  const format = objectField(objectField(body, "text") ?? {}, "format");
  return {
    ...rest,
    messages: [...system, ...messagesOf(input)],
    ...(limit === undefined ? {} : { max_tokens: limit }),
    ...(Array.isArray(tools) ? { tools: tools.flatMap(toolOf) } : {}),
    ...(format === undefined ? {} : { response_format: formatOf(format) }),
  };
}

/** The schema lies one level higher here than in a chat. */
const formatOf = (format: Body): Body =>
  format.type === "json_schema" ? { type: "json_schema", json_schema: { schema: format.schema } } : format;

/** Tools of other kinds run at OpenAI; there is nothing here that could. */
function toolOf(tool: unknown): Body[] {
  if (!isObject(tool) || tool.type !== "function") return [];
  const { type: _, ...described } = tool;
  return [{ type: "function", function: described }];
}

function messagesOf(input: unknown): Body[] {
  if (typeof input === "string") return [{ role: "user", content: input }];
  if (!Array.isArray(input)) throw badRequest("'input' must be a string or array of objects");
  return joinAssistants(input.map(messageOf));
}

function messageOf(item: unknown): Body {
  if (!isObject(item)) throw badRequest("'input' must be a string or array of objects");
  const { type = "message", role, content } = item;
  if (type === "message" && typeof role === "string") return { role, content: contentOf(content) };
  if (type === "function_call")
    return {
      role: "assistant",
      content: "",
      tool_calls: [{ type: "function", id: item.call_id, function: { name: item.name, arguments: item.arguments } }],
    };
  if (type === "function_call_output")
    return { role: "tool", tool_call_id: item.call_id, content: contentOf(item.output) };
  if (type === "reasoning") return { role: "assistant", content: "", reasoning_content: reasoningOf(content) };
  throw badRequest("Cannot determine type of 'item'");
}

function contentOf(content: unknown): unknown {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw badRequest("Expected 'content' to be a string or an array");
  return content.map((part) => {
    if (!isObject(part)) throw badRequest("Expected each part of 'content' to be an object with a 'type'");
    if (part.type === "input_image") return { type: "image_url", image_url: { url: part.image_url } };
    if (part.type === "input_text" || part.type === "output_text") return { type: "text", text: part.text };
    throw badRequest("'type' must be one of 'input_text', 'output_text' or 'input_image'");
  });
}

function reasoningOf(content: unknown): string {
  const parts = Array.isArray(content) ? content : [];
  return parts.map((part) => (isObject(part) ? (textField(part, "text") ?? "") : "")).join("");
}

/** Reasoning, text and calls of one turn come as items of their own, and are one message of a chat. */
function joinAssistants(messages: readonly Body[]): Body[] {
  const joined: Body[] = [];
  for (const message of messages) {
    const before = joined.at(-1);
    if (message.role !== "assistant" || before?.role !== "assistant") {
      joined.push(message);
      continue;
    }
    const calls = [...((before.tool_calls as unknown[]) ?? []), ...((message.tool_calls as unknown[]) ?? [])];
    const content = message.content === "" ? before.content : message.content;
    joined[joined.length - 1] = { ...before, ...message, content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
  }
  return joined;
}
