import type { Engine } from "../engine.ts";
import { type Call, sendJson } from "../http/reply.ts";
import { QueueFull } from "../slots.ts";
import { badRequest, notSupported, serverError, unavailable } from "./api-error.ts";
import { checkInputs } from "./bounds.ts";
import { type Body, parseBody, textField } from "./fields.ts";
import { checkTokens } from "./tokens.ts";

interface Embedded {
  readonly vector: readonly number[];
  readonly tokens: number;
}

/** POST /v1/embeddings */
export async function answerEmbeddings(engine: Engine, call: Call): Promise<void> {
  const body = parseBody(call.body);
  const all = await embedAll(engine, call, body);
  const format = textField(body, "encoding_format") ?? "float";
  if (format !== "float" && format !== "base64")
    throw badRequest("The format to return the embeddings in. Can be either float or base64");
  const tokens = all.reduce((sum, one) => sum + one.tokens, 0);
  const data = all.map(({ vector }, index) => ({
    embedding: format === "base64" ? base64Of(vector) : vector,
    index,
    object: "embedding",
    ...(format === "base64" ? { encoding_format: "base64" } : {}),
  }));
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  sendJson(call.response, 200, JSON.stringify({ model: engine.name, object: "list", usage, data }));
}

/** POST /embedding */
export async function answerNativeEmbedding(engine: Engine, call: Call): Promise<void> {
  const all = await embedAll(engine, call, parseBody(call.body));
  sendJson(call.response, 200, JSON.stringify(all.map(({ vector }, index) => ({ index, embedding: [vector] }))));
}

async function embedAll(engine: Engine, call: Call, body: Body): Promise<Embedded[]> {
  if (!engine.settings.model.embedding)
    throw notSupported("This server does not support embeddings. Start it with `--embeddings`");
  const texts = await textsOf(engine, body.input ?? body.content);
  checkInputs("input", texts.length);
  return Promise.all(texts.map((text) => embed(engine, call, text)));
}

async function embed(engine: Engine, call: Call, text: string): Promise<Embedded> {
  const { promptTokens } = await engine.model.ask("prepare", { text });
  const most = Math.min(engine.settings.model.ubatch, engine.capacity.contextPerSlot);
  if (promptTokens > most)
    throw serverError(
      `input (${promptTokens} tokens) is too large to process. increase the physical batch size (current batch size: ${most})`,
    );
  const task = engine.pool.task({ params: {}, promptTokens, limit: 0 });
  const slot = await engine.pool.take(task, call.signal).catch((error: unknown) => {
    throw error instanceof QueueFull ? unavailable(`${error.message}; try again later`) : error;
  });
  try {
    return { vector: await engine.model.ask("embed", { text }), tokens: promptTokens };
  } finally {
    engine.pool.giveBack(slot);
  }
}

async function textsOf(engine: Engine, input: unknown): Promise<string[]> {
  if (input === undefined || input === null) throw badRequest('"input" or "content" must be provided');
  if (typeof input === "string") return [input];
  if (!Array.isArray(input) || input.length === 0)
    throw badRequest('"input" must be a string or a list that is not empty');
  if (input.every((part) => typeof part === "number")) return [await textOf(engine, input)];
  return Promise.all(input.map((part) => (typeof part === "string" ? part : textOf(engine, part))));
}

function textOf(engine: Engine, tokens: unknown): Promise<string> {
  if (!Array.isArray(tokens)) throw badRequest('"input" must hold strings or lists of tokens');
  checkTokens(engine, tokens);
  return engine.model.ask("textOf", { tokens });
}

function base64Of(vector: readonly number[]): string {
  return Buffer.from(Float32Array.from(vector).buffer).toString("base64");
}
