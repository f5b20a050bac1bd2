import { paths } from "@trivium/dashboard-server/contract";
import { send } from "../../kube/request.ts";
import type { ChatRequest } from "./request.ts";

export interface ChatProgress {
  readonly text: string;
  readonly tokens: number;
  /** From the first token on. */
  readonly seconds: number;
  readonly firstSeconds: number;
}

interface Chunk {
  readonly choices?: readonly { readonly delta?: { readonly content?: string | null } }[];
  readonly usage?: { readonly completion_tokens?: number } | null;
  readonly error?: { readonly message?: string };
}

/** The answer of a model, as far as it has arrived. */
export async function* streamChat(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatProgress> {
  const began = performance.now();
  const body = JSON.stringify({ ...request, stream: true, stream_options: { include_usage: true } });
  const response = await send(`${paths.gateway}/v1/chat/completions`, { method: "POST", body, signal });
  let [text, tokens] = ["", 0];
  let firstAt: number | undefined;
  for await (const chunk of chunksOf(response)) {
    if (chunk.error !== undefined) throw new Error(chunk.error.message ?? "the model server failed");
    const piece = chunk.choices?.[0]?.delta?.content ?? "";
    if (piece !== "") firstAt ??= performance.now();
    tokens = chunk.usage?.completion_tokens ?? tokens + (piece === "" ? 0 : 1);
    text += piece;
    const at = firstAt ?? performance.now();
    yield { text, tokens, seconds: (performance.now() - at) / 1_000, firstSeconds: (at - began) / 1_000 };
  }
}

async function* chunksOf({ body }: Response): AsyncGenerator<Chunk> {
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = "";
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const lines = (rest + piece.value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: {")) yield JSON.parse(line.slice("data: ".length)) as Chunk;
  }
}
