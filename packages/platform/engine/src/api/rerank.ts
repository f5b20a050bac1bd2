import type { Engine } from "../engine.ts";
import { type Call, sendJson } from "../http/reply.ts";
import { badRequest, notSupported } from "./api-error.ts";
import { checkInputs } from "./bounds.ts";
import { computeVectors } from "./embeddings.ts";
import { type Body, booleanField, numberField, parseBody, textField } from "./fields.ts";

interface Ranked {
  readonly index: number;
  readonly score: number;
  readonly tokens: number;
}

/** POST /v1/rerank: how well each document answers the query, the best ones first. */
export async function answerRerank(engine: Engine, call: Call): Promise<void> {
  if (engine.model.file.pooling !== "rank")
    throw notSupported("This server does not support reranking. Start it with `--reranking`");
  const body = parseBody(call.body);
  const query = textField(body, "query");
  if (query === undefined) throw badRequest('"query" must be provided');
  const documents = documentsOf(body);
  const all = await Promise.all(documents.map((document, index) => rank(engine, call, { query, document, index })));
  const best = all.sort((a, b) => b.score - a.score).slice(0, numberField(body, "top_n") ?? documents.length);
  const answer = body.texts === undefined ? listOf(engine, all, best) : plainOf(body, documents, best);
  sendJson(call.response, 200, JSON.stringify(answer));
}

function listOf(engine: Engine, all: readonly Ranked[], best: readonly Ranked[]): object {
  const tokens = all.reduce((sum, one) => sum + one.tokens, 0);
  return {
    model: engine.name,
    object: "list",
    usage: { prompt_tokens: tokens, total_tokens: tokens },
    results: best.map(({ index, score }) => ({ index, relevance_score: score })),
  };
}

/** As text-embeddings-inference answers, for callers that ask as it is asked. */
function plainOf(body: Body, documents: readonly string[], best: readonly Ranked[]): object {
  const withTexts = booleanField(body, "return_text") ?? false;
  return best.map(({ index, score }) => ({ index, score, ...(withTexts ? { text: documents[index] } : {}) }));
}

function documentsOf(body: Body): readonly string[] {
  const given = body.documents ?? body.texts;
  if (!Array.isArray(given) || given.length === 0 || !given.every((one) => typeof one === "string"))
    throw badRequest('"documents" must be a non-empty string array');
  checkInputs("documents", given.length);
  return given;
}

interface Pair {
  readonly query: string;
  readonly document: string;
  readonly index: number;
}

async function rank(engine: Engine, call: Call, { query, document, index }: Pair): Promise<Ranked> {
  const template = engine.about.metadata["tokenizer.chat_template.rerank"];
  const prompt =
    template === undefined
      ? await engine.model.ask("pair", { query, document })
      : await engine.model.ask("prepare", { parts: [filled(template, query, document)] });
  const [vector] = await computeVectors(engine, call, prompt);
  return { index, score: vector?.[0] ?? 0, tokens: prompt.tokens.length };
}

/** In one go: a query may hold the name of the other place. */
const filled = (template: string, query: string, document: string): string =>
  template.replaceAll(/\{(query|document)\}/g, (_, name: string) => (name === "query" ? query : document));
