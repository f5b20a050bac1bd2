import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { GatewayPort } from "@trivium/dashboard-server";

/** A gateway whose only model answers every question with the same words, one after the other. */
export interface ModelGateway {
  readonly port: GatewayPort;
  close(): Promise<void>;
}

const words = "Trivium serves models through three APIs, and tells you why one is not ready.".split(/(?<= )/);

export async function startModelGateway(model: string): Promise<ModelGateway> {
  const counts = { requests: 0, tokens: 0 };
  const server = createServer((request, response) => {
    request.resume();
    counts.requests += 1;
    counts.tokens += words.length;
    void answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    port: { url, metrics: { isGuarded: false, read: async () => metricsOf(model, counts) } },
    close: () => end(server),
  };
}

async function answer(response: ServerResponse): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const content of words) {
    response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  response.write(`data: ${JSON.stringify({ choices: [], usage: { completion_tokens: words.length } })}\n\n`);
  response.end("data: [DONE]\n\n");
}

/** Each reading finds some more of both, so that a plot has something to show. */
function metricsOf(model: string, counts: { requests: number; tokens: number }): string {
  counts.requests += 6;
  counts.tokens += 420;
  return [
    `trivium_gateway_requests_total{model="${model}",code="200"} ${counts.requests}`,
    `trivium_gateway_tokens_total{model="${model}",kind="completion"} ${counts.tokens}`,
    `trivium_gateway_in_flight{model="${model}"} 3`,
    "",
  ].join("\n");
}

const end = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
