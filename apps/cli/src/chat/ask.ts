import { Refusal } from "@trivium/std";
import type { Endpoint, Reply } from "./endpoint.ts";

export interface Message {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** What is asked: a conversation, or a text to continue. */
export type Question =
  | { readonly is: "chat"; readonly messages: readonly Message[] }
  | { readonly is: "text"; readonly prompt: string; readonly maxTokens: number };

export interface Asked {
  readonly endpoint: Endpoint;
  readonly question: Question;
  readonly signal: AbortSignal;
  onText(text: string): void;
}

export interface Answer {
  readonly text: string;
  readonly tokens: number;
  readonly seconds: number;
  readonly wasStopped: boolean;
}

interface Chunk {
  readonly choices?: readonly { readonly delta?: { readonly content?: string | null }; readonly text?: string }[];
  readonly usage?: { readonly completion_tokens?: number };
  readonly error?: { readonly message?: string };
}

/** Asks a model and passes the answer on as it arrives. */
export async function ask({ endpoint, question, signal, onText }: Asked): Promise<Answer> {
  let [text, tokens, wasStopped] = ["", 0, false];
  let firstAt: number | undefined;
  try {
    const reply = await endpoint.post(...requestOf(endpoint.model, question), signal);
    if (reply.status >= 400) throw new Refusal(await refusalOf(reply, endpoint));
    for await (const chunk of chunksOf(reply.body)) {
      if (chunk.error !== undefined) throw new Refusal(chunk.error.message ?? "the model server failed");
      const [choice] = chunk.choices ?? [];
      const piece = choice?.delta?.content ?? choice?.text ?? "";
      if (piece !== "") firstAt ??= performance.now();
      tokens = chunk.usage?.completion_tokens ?? tokens + (piece === "" ? 0 : 1);
      text += piece;
      onText(piece);
    }
  } catch (error) {
    if (!signal.aborted)
      throw error instanceof TypeError
        ? new Refusal(
            `${endpoint.address} does not respond; start it with trivium up -d, or choose another with --gateway`,
          )
        : error;
    wasStopped = true;
  }
  return { text, tokens, wasStopped, seconds: firstAt === undefined ? 0 : (performance.now() - firstAt) / 1000 };
}

function requestOf(model: string, question: Question): [path: string, body: object] {
  const common = { model, stream: true, stream_options: { include_usage: true } };
  return question.is === "chat"
    ? ["/v1/chat/completions", { ...common, messages: question.messages }]
    : ["/v1/completions", { ...common, prompt: question.prompt, max_tokens: question.maxTokens }];
}

async function refusalOf({ status, body }: Reply, { url }: Endpoint): Promise<string> {
  if (status === 401 && url !== undefined) return describeKey(url);
  const text = (await Array.fromAsync(body)).join("");
  try {
    const parsed = JSON.parse(text) as { error?: { message?: string }; message?: string };
    return parsed.error?.message ?? parsed.message ?? `${status}`;
  } catch {
    return `${status} ${text.slice(0, 200)}`;
  }
}

const describeKey = (gateway: string): string =>
  process.env.TRIVIUM_API_KEY
    ? `${gateway} does not accept the API key in TRIVIUM_API_KEY; set it to one of the keys of that gateway`
    : `${gateway} requires an API key; set TRIVIUM_API_KEY to one of the keys of that gateway`;

async function* chunksOf(body: AsyncIterable<string>): AsyncGenerator<Chunk> {
  let rest = "";
  for await (const piece of body) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: {")) yield JSON.parse(line.slice("data: ".length)) as Chunk;
  }
}
