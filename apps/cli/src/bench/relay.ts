import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Endpoint } from "../chat/endpoint.ts";

export interface Relay {
  readonly url: string;
  /** What a caller has to send as a bearer token: other users of this machine must not use the rights of this one. */
  readonly key: string;
  close(): Promise<void>;
}

/** An address of this machine for a service that only the API server of its cluster leads to. */
export async function openRelay(endpoint: Endpoint): Promise<Relay> {
  const key = randomUUID();
  const server = createServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${key}`) {
      response.writeHead(401).end();
      return;
    }
    pass(endpoint, request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    key,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function pass(endpoint: Endpoint, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== "POST") {
    response.end(JSON.stringify({ object: "list", data: [{ id: endpoint.model, object: "model" }] }));
    return;
  }
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const body = JSON.parse(await text(request)) as { readonly stream?: boolean };
  const reply = await endpoint.post(request.url ?? "/", body, gone.signal);
  const isStream = body.stream === true && reply.status < 400;
  response.writeHead(reply.status, { "content-type": isStream ? "text/event-stream" : "application/json" });
  for await (const piece of reply.body) response.write(piece);
  response.end();
}
