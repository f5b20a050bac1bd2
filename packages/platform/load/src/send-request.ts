import {
  type BenchmarkTask,
  type ErrorKind,
  makePrompt,
  type Random,
  type RequestRecord,
  type RequestShape,
  type Scenario,
  sampleRequest,
} from "@trivium/engines";
import type { JsonObject } from "@trivium/std";
import { type Dispatcher, errors } from "undici";
import { cleaned, errorMessage, readStream, readWhole } from "./read-answer.ts";

/** The server under measurement, and how it is asked. */
export interface Target {
  readonly url: string;
  readonly model: string;
  readonly task: BenchmarkTask;
  readonly api: "chat" | "completions";
  readonly apiKey: string | undefined;
  readonly params: JsonObject;
  readonly requestTimeoutMs: number;
  readonly dispatcher: Dispatcher;
  /** Milliseconds since some moment. */
  readonly clock: () => number;
}

export interface Draft {
  readonly path: string;
  readonly body: JsonObject;
  readonly shape: RequestShape;
}

/** Makes a request ready beforehand, so that making it is not measured. */
export function draftRequest(target: Target, scenario: Scenario, random: Random): Draft {
  const { model, task, api, params } = target;
  const shape = sampleRequest(scenario, random);
  const prompt = makePrompt(shape, random);
  if (task === "text-to-embeddings") return { path: "/embeddings", body: { model, input: prompt, ...params }, shape };
  if (task === "text-to-rerank" && scenario.is === "rerank") {
    const words = prompt.split(" ");
    const [query, document] = [words.slice(0, scenario.query), words.slice(scenario.query)];
    return {
      path: "/rerank",
      body: { model, query: query.join(" "), documents: [document.join(" ")], ...params },
      shape,
    };
  }
  const body = { model, max_tokens: shape.output, stream: true, stream_options: { include_usage: true }, ...params };
  return api === "chat"
    ? { path: "/chat/completions", body: { ...body, messages: [{ role: "user", content: prompt }] }, shape }
    : { path: "/completions", body: { ...body, prompt }, shape };
}

/** Sends one request and reads its answer to the end. Never throws: what goes wrong is part of the measurement. */
export async function sendRequest(target: Target, draft: Draft, signal: AbortSignal): Promise<RequestRecord> {
  const { clock, requestTimeoutMs } = target;
  const startedAt = clock();
  const limit = AbortSignal.timeout(requestTimeoutMs);
  const failed = (kind: ErrorKind, message: string, status?: number): RequestRecord => ({
    is: "failed",
    startedAt,
    endedAt: clock(),
    kind,
    ...(status === undefined ? {} : { status }),
    message,
  });
  try {
    const { statusCode, headers, body } = await post(target, draft, AbortSignal.any([signal, limit]));
    if (statusCode !== 200) return failed("http", await refusalOf(statusCode, body), statusCode);
    const isStream = String(headers["content-type"] ?? "").includes("event-stream");
    const answer = isStream ? await readStream(body, clock) : readWhole(await readText(body), clock);
    const endedAt = clock();
    body.destroy();
    if (answer.is === "bad") return failed(answer.kind, answer.message);
    const { firstAt, outputTokens, inputTokens = draft.shape.input } = answer;
    return { is: "answered", startedAt, firstAt, endedAt, inputTokens, outputTokens };
  } catch (error) {
    if (limit.aborted) return failed("timeout", `no complete response within ${requestTimeoutMs}ms`);
    return failed(...faultOf(error));
  }
}

function post(target: Target, { path, body }: Draft, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  const { url, apiKey, dispatcher } = target;
  const { origin, pathname } = new URL(url);
  const base = pathname.replace(/\/+$/, "");
  return dispatcher.request({
    origin,
    path: `${base.endsWith("/v1") ? base : `${base}/v1`}${path}`,
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream, application/json",
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify(body),
    signal,
  });
}

const longestBody = 64 * 1024 * 1024;

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > longestBody) return "";
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** The words of the server, where it has some. */
async function refusalOf(status: number, body: AsyncIterable<Uint8Array>): Promise<string> {
  const text = await readText(body).catch(() => "");
  try {
    return `${status}: ${errorMessage(JSON.parse(text).error)}`;
  } catch {
    return `${status}: ${cleaned(text)}`;
  }
}

const refusedCodes = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
];

function faultOf(error: unknown): [ErrorKind, string] {
  if (!(error instanceof Error)) return ["reset", "the connection failed"];
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  if (refusedCodes.includes(code)) return ["refused", `the server does not accept connections: ${code}`];
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError)
    return ["timeout", "the server stopped responding"];
  if (error instanceof errors.HTTPParserError) return ["garbage", "the response is not HTTP"];
  return ["reset", `the connection was lost: ${cleaned(code)}`];
}
