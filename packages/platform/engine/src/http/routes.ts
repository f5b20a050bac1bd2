import { answerCountTokens, answerMessages } from "../api/anthropic/messages.ts";
import { answerChat } from "../api/chat.ts";
import { answerCompletions, answerNative } from "../api/completion.ts";
import { answerEmbeddings, answerNativeEmbedding } from "../api/embeddings.ts";
import { answerAdapters } from "../api/lora.ts";
import { answerRerank } from "../api/rerank.ts";
import { answerResponses } from "../api/responses/responses.ts";
import {
  answerChangeProps,
  answerInfill,
  answerMetrics,
  answerModels,
  answerProps,
  answerSlotAction,
  answerSlots,
} from "../api/status.ts";
import { answerDetokenize, answerTemplate, answerTokenize } from "../api/tokens.ts";
import type { Engine } from "../engine.ts";
import type { Call } from "./reply.ts";

export type Route = (engine: Engine, call: Call) => Promise<void> | void;

/** By method and path, as llama-server has them. `/health` is answered before these: it works without a model. */
const routes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ["GET /props", answerProps],
  ["POST /props", answerChangeProps],
  ["GET /slots", answerSlots],
  ["GET /metrics", answerMetrics],
  ["GET /models", answerModels],
  ["GET /v1/models", answerModels],
  ["GET /lora-adapters", answerAdapters],
  ["POST /tokenize", answerTokenize],
  ["POST /detokenize", answerDetokenize],
  ["POST /apply-template", answerTemplate],
  ["POST /completion", answerNative],
  ["POST /completions", answerNative],
  ["POST /infill", answerInfill],
  ["POST /v1/completions", answerCompletions],
  ["POST /chat/completions", answerChat],
  ["POST /v1/chat/completions", answerChat],
  ["POST /responses", answerResponses],
  ["POST /v1/responses", answerResponses],
  ["POST /v1/messages", answerMessages],
  ["POST /v1/messages/count_tokens", answerCountTokens],
  ["POST /rerank", answerRerank],
  ["POST /reranking", answerRerank],
  ["POST /v1/rerank", answerRerank],
  ["POST /v1/reranking", answerRerank],
  ["POST /embedding", answerNativeEmbedding],
  ["POST /embeddings", answerNativeEmbedding],
  ["POST /v1/embeddings", answerEmbeddings],
]);

/** The one route whose path has a number in it. */
const slotAction = /^POST \/slots\/\d+$/;

export function routeOf(method: string | undefined, path: string): Route | undefined {
  const name = `${method} ${path}`;
  return routes.get(name) ?? (slotAction.test(name) ? answerSlotAction : undefined);
}
