import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type Agent, type RequestOptions, request } from "node:https";
import { connect, type TLSSocket } from "node:tls";
import type { RunningServer, ServerIdentity } from "../../src/http/index.ts";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Buffer;
  /** Left out: the administrator's token. */
  readonly as?: "nobody" | { token: string } | { cert: string; key: string };
  readonly agent?: Agent;
}

/** Small raw client for tests: says exactly what it is told to, certificate and all. */
export function clientOf(server: RunningServer, identity: ServerIdentity) {
  const options = (path: string, asked: Asked): RequestOptions => {
    const headers: Record<string, string | string[]> = { ...asked.headers };
    const { as } = asked;
    if (as === undefined) headers.authorization = `Bearer ${identity.token}`;
    else if (as !== "nobody" && "token" in as) headers.authorization = `Bearer ${as.token}`;
    return {
      host: server.host,
      port: server.port,
      path,
      method: asked.method ?? "GET",
      headers,
      ca: identity.authority,
      agent: asked.agent ?? false,
      ...(typeof as === "object" && "cert" in as ? { cert: as.cert, key: as.key } : {}),
    };
  };

  /** The response as soon as its headers are there. */
  async function open(path: string, asked: Asked = {}): Promise<IncomingMessage> {
    const call = request(options(path, asked));
    if (asked.body !== undefined) call.write(asked.body);
    call.end();
    const [response] = (await once(call, "response")) as [IncomingMessage];
    // An answer may come before the whole body was sent; what happens to the rest is nobody's concern.
    call.on("error", () => {});
    return response;
  }

  async function ask(path: string, asked: Asked = {}): Promise<Answer> {
    const response = await open(path, asked);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: Buffer.concat(chunks).toString("utf8"),
    };
  }

  /** A TLS connection on which nothing was said yet. */
  async function socket(): Promise<TLSSocket> {
    const tls = connect({ host: server.host, port: server.port, ca: identity.authority, servername: "localhost" });
    tls.on("error", () => {});
    await once(tls, "secureConnect");
    return tls;
  }

  return { ask, open, socket };
}
