import { isUtf8 } from "node:buffer";
import type { Engine } from "../engine.ts";
import { type Call, sendJson } from "../http/reply.ts";
import { badRequest } from "./api-error.ts";
import { formatChat, messagesOf, templateOptions } from "./chat-request.ts";
import { booleanField, parseBody } from "./fields.ts";

/** POST /tokenize */
export async function answerTokenize(engine: Engine, call: Call): Promise<void> {
  const body = parseBody(call.body);
  const content = body.content;
  const withBos = booleanField(body, "add_special") ?? false;
  const readSpecial = booleanField(body, "parse_special") ?? true;
  const texts = typeof content === "string" ? [content] : Array.isArray(content) ? content : [];
  const parts = await Promise.all(
    texts.map((text: unknown, at) => {
      if (typeof text === "number") return [text];
      if (typeof text !== "string") throw badRequest('"content" must be a string or a list of strings and tokens');
      return text === "" ? [] : engine.model.ask("tokenize", { text, withBos: withBos && at === 0, readSpecial });
    }),
  );
  const tokens = parts.flat();
  checkTokens(engine, tokens);
  if (!(booleanField(body, "with_pieces") ?? false)) return sendJson(call.response, 200, JSON.stringify({ tokens }));
  const pieces = await engine.model.ask("pieces", { tokens });
  const shown = tokens.map((id, at) => ({ id, piece: shownPiece(pieces[at]!) }));
  sendJson(call.response, 200, JSON.stringify({ tokens: shown }));
}

/** Text where the token is one, else its bytes. */
function shownPiece(piece: Uint8Array): string | number[] {
  return isUtf8(piece) ? Buffer.from(piece).toString("utf8") : [...piece];
}

/** POST /detokenize */
export async function answerDetokenize(engine: Engine, call: Call): Promise<void> {
  const tokens = parseBody(call.body).tokens ?? [];
  if (!Array.isArray(tokens)) throw badRequest('"tokens" must be a list of numbers');
  checkTokens(engine, tokens);
  const content = tokens.length === 0 ? "" : await engine.model.ask("detokenize", { tokens });
  sendJson(call.response, 200, JSON.stringify({ content }));
}

/** POST /apply-template */
export async function answerTemplate(engine: Engine, call: Call): Promise<void> {
  const body = parseBody(call.body);
  const { messages } = messagesOf(body, engine);
  const { prompt } = await formatChat(
    engine,
    messages,
    templateOptions(engine, body, { grammar: undefined, schema: undefined }, []),
  );
  const { bos } = engine.about;
  sendJson(call.response, 200, JSON.stringify({ prompt: prompt.startsWith(bos) ? prompt.slice(bos.length) : prompt }));
}

export function checkTokens(engine: Engine, tokens: readonly unknown[]): asserts tokens is readonly number[] {
  const vocabulary = vocabularyOf(engine);
  for (const token of tokens) {
    if (typeof token !== "number")
      throw badRequest(`[json.exception.type_error.302] type must be number, but is ${typeof token}`);
    if (!Number.isInteger(token) || token < 0 || token >= vocabulary) throw badRequest(`invalid token: ${token}`);
  }
}

export function vocabularyOf(engine: Engine): number {
  return engine.header.vocabulary;
}
