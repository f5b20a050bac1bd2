import type { Engine } from "../engine.ts";
import { type Call, sendJson } from "../http/reply.ts";
import type { Prompt } from "../model/messages.ts";
import { QueueFull } from "../slots.ts";
import { badRequest, contextExceeded, notSupported, serverError, unavailable } from "./api-error.ts";
import { checkInputs } from "./bounds.ts";
import { type Body, numberField, parseBody, textField } from "./fields.ts";
import { normalize } from "./normalize.ts";
import { checkTokens } from "./tokens.ts";

interface Embedded {
  readonly vectors: readonly (readonly number[])[];
  readonly tokens: number;
}

/** POST /v1/embeddings */
export async function answerEmbeddings(engine: Engine, call: Call): Promise<void> {
  const body = parseBody(call.body);
  if (engine.model.file.pooling === "none" && engine.settings.model.embedding)
    throw badRequest("Pooling type 'none' is not OAI compatible. Please use a different pooling type");
  const all = await embedAll(engine, call, body);
  const format = textField(body, "encoding_format") ?? "float";
  if (format !== "float" && format !== "base64")
    throw badRequest("The format to return the embeddings in. Can be either float or base64");
  const tokens = all.reduce((sum, one) => sum + one.tokens, 0);
  const data = all.map(({ vectors: [vector = []] }, index) => ({
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
  sendJson(call.response, 200, JSON.stringify(all.map(({ vectors }, index) => ({ index, embedding: vectors }))));
}

async function embedAll(engine: Engine, call: Call, body: Body): Promise<Embedded[]> {
  if (!engine.settings.model.embedding)
    throw notSupported("This server does not support embeddings. Start it with `--embeddings`");
  const inputs = inputsOf(engine, body.input ?? body.content);
  checkInputs("input", inputs.length);
  const kind = numberField(body, "embd_normalize") ?? engine.settings.model.embeddingNormalization;
  const all = await Promise.all(inputs.map((parts) => embed(engine, call, parts)));
  // Vectors of single tokens are given out as the model made them.
  if (engine.model.file.pooling === "none") return all;
  return all.map(({ vectors, tokens }) => ({ vectors: vectors.map((vector) => normalize(vector, kind)), tokens }));
}

async function embed(engine: Engine, call: Call, parts: readonly (string | number)[]): Promise<Embedded> {
  const prompt = await engine.model.ask("prepare", { parts });
  return { vectors: await computeVectors(engine, call, prompt), tokens: prompt.tokens.length };
}

/** Waits for a slot and computes; prompts that do not fit are refused before. */
export async function computeVectors(engine: Engine, call: Call, prompt: Prompt): Promise<number[][]> {
  checkLength(engine, prompt.tokens.length);
  const task = engine.pool.task({ params: {}, prompt: prompt.tokens, limit: 0 });
  const slot = await engine.pool.take(task, call.signal).catch((error: unknown) => {
    throw error instanceof QueueFull ? unavailable(`${error.message}; try again later`) : error;
  });
  try {
    return await engine.model.ask("embed", { prompt });
  } finally {
    engine.pool.giveBack(slot, slot.cached);
  }
}

/** The vector of the last token can be computed in pieces; any other needs all tokens in one batch. */
function checkLength({ model, capacity }: Engine, count: number): void {
  const { contextPerSlot } = capacity;
  const most = Math.min(model.batchSize, contextPerSlot);
  if (model.file.pooling === "last" ? count < contextPerSlot : count <= most) return;
  if (model.file.pooling === "last") throw contextExceeded(count, contextPerSlot);
  throw serverError(
    `input (${count} tokens) is too large to process. increase the physical batch size (current batch size: ${most})`,
  );
}

function inputsOf(engine: Engine, input: unknown): (readonly (string | number)[])[] {
  if (input === undefined || input === null) throw badRequest('"input" or "content" must be provided');
  if (typeof input === "string") return [[input]];
  if (!Array.isArray(input) || input.length === 0)
    throw badRequest('"input" must be a string or a list that is not empty');
  if (input.every((part) => typeof part === "number")) return [tokensOf(engine, input)];
  return input.map((part) => (typeof part === "string" ? [part] : tokensOf(engine, part)));
}

function tokensOf(engine: Engine, tokens: unknown): readonly number[] {
  if (!Array.isArray(tokens) || tokens.length === 0) throw badRequest('"input" must hold strings or lists of tokens');
  checkTokens(engine, tokens);
  return tokens;
}

function base64Of(vector: readonly number[]): string {
  return Buffer.from(Float32Array.from(vector).buffer).toString("base64");
}
