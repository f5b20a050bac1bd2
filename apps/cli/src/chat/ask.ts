import { Refusal } from "@trivium/std";

export interface Message {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

export interface Asked {
  readonly gateway: string;
  readonly key: string | undefined;
  readonly model: string;
  readonly messages: readonly Message[];
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
  readonly choices?: readonly {
    readonly delta?: { readonly content?: string | null; readonly reasoning_content?: string };
  }[];
  readonly usage?: { readonly completion_tokens?: number };
  readonly error?: { readonly message?: string };
}

/** Asks a model through the gateway and passes the answer on as it comes. */
export async function ask({ gateway, key, model, messages, signal, onText }: Asked): Promise<Answer> {
  const headers = {
    "content-type": "application/json",
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };
  const body = JSON.stringify({ model, messages, stream: true, stream_options: { include_usage: true } });
  let [text, tokens, wasStopped] = ["", 0, false];
  let firstAt: number | undefined;
  try {
    const response = await fetch(`${gateway}/v1/chat/completions`, { method: "POST", headers, body, signal });
    if (!response.ok || response.body === null) throw new Refusal(await refusalOf(response));
    for await (const chunk of chunksOf(response.body)) {
      if (chunk.error !== undefined) throw new Refusal(chunk.error.message ?? "the model server failed");
      const piece = chunk.choices?.[0]?.delta?.content ?? "";
      if (piece !== "") firstAt ??= performance.now();
      tokens = chunk.usage?.completion_tokens ?? tokens + (piece === "" ? 0 : 1);
      text += piece;
      onText(piece);
    }
  } catch (error) {
    if (!signal.aborted)
      throw error instanceof TypeError ? new Refusal(`${gateway} does not respond; start trivium up`) : error;
    wasStopped = true;
  }
  return { text, tokens, wasStopped, seconds: firstAt === undefined ? 0 : (performance.now() - firstAt) / 1000 };
}

async function refusalOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    return (JSON.parse(text) as { error: { message: string } }).error.message;
  } catch {
    return `${response.status} ${text.slice(0, 200)}`;
  }
}

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Chunk> {
  let rest = "";
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: {")) yield JSON.parse(line.slice("data: ".length)) as Chunk;
  }
}
