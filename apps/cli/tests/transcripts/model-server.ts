import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { text } from "node:stream/consumers";

/** An address of this machine that a Service can lead to: Kubernetes allows none of the loopback. */
export const ownAddress = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

export interface ModelServer {
  readonly address: string;
  readonly port: number;
  close(): Promise<void>;
}

/** A model server with one answer, which it streams word by word. */
export async function startModelServer(address: string): Promise<ModelServer> {
  const server = createServer(async (request, response): Promise<unknown> => {
    if (request.url === "/v1/models") return response.end(JSON.stringify({ data: [{ id: "demo" }] }));
    const body = JSON.parse(await text(request)) as { messages?: { content: string }[]; prompt?: string };
    const asked = body.messages?.map(({ content }) => content).join(" / ") ?? body.prompt ?? "";
    if (asked.includes("fail"))
      return response.writeHead(400).end(JSON.stringify({ error: { message: "the prompt is too long" } }));
    return stream(response, body.prompt === undefined, `(${asked}) where three roads meet`.split(/(?= )/));
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return {
    address,
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function stream(response: ServerResponse, isChat: boolean, words: readonly string[]): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (value: object): unknown => response.write(`data: ${JSON.stringify(value)}\n\n`);
  for (const word of words) {
    send({ choices: [isChat ? { delta: { content: word } } : { text: word }] });
    await new Promise(setImmediate);
  }
  send({ choices: [], usage: { completion_tokens: words.length } });
  response.end("data: [DONE]\n\n");
}
