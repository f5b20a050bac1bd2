import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { JsonObject } from "@trivium/std";
import { runProgram } from "../src/index.ts";

export interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: JsonObject;
}

type Answer = (response: ServerResponse, asked: Asked) => void | Promise<void>;

/** A server of the test: what it was asked, and how many requests it had at once. */
export interface Stage {
  readonly url: string;
  readonly asked: Asked[];
  maxAtOnce(): number;
}

export async function startServer(test: TestContext, answer: Answer): Promise<Stage> {
  const asked: Asked[] = [];
  let [now, most] = [0, 0];
  const listener: RequestListener = async (request, response) => {
    now += 1;
    most = Math.max(most, now);
    response.on("close", () => {
      now -= 1;
    });
    const body = await readBody(request);
    const one = { path: request.url ?? "", authorization: request.headers.authorization, body };
    asked.push(one);
    await answer(response, one);
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked, maxAtOnce: () => most };
}

async function readBody(request: IncomingMessage): Promise<JsonObject> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString();
  return text === "" ? {} : (JSON.parse(text) as JsonObject);
}

export const beginStream = (response: ServerResponse): void =>
  void response.writeHead(200, { "content-type": "text/event-stream" });

export const sendToken = (response: ServerResponse, content: string): void =>
  void response.write(
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`,
  );

export function endStream(response: ServerResponse, usage?: object): void {
  response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\n`);
  if (usage !== undefined) response.write(`data: ${JSON.stringify({ choices: [], usage })}\n\n`);
  response.end("data: [DONE]\n\n");
}

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export async function bench(
  args: readonly string[],
  { signal = new AbortController().signal, environment = {} as Record<string, string> } = {},
): Promise<Outcome> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runProgram(args, {
    environment,
    signal,
    out: { write: (text) => out.push(text) },
    err: { write: (text) => err.push(text) },
  });
  return { code, out: out.join(""), err: err.join("") };
}
