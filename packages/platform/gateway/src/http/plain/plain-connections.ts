import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Limits } from "../../limits.ts";
import type { OtherConnections } from "../../listening.ts";
import { PlainConnection, type PlainParts } from "./plain-connection.ts";

type PlainLimits = Pick<Limits, "headerBytes" | "headersTimeout" | "requestTimeout" | "keepAliveTimeout">;

/** How often connections that waited too long are looked for, as the server of Node does for its own. */
const sweepEvery = 1_000;

/** The connections of a server whose requests were plain so far. */
export class PlainConnections implements OtherConnections {
  readonly #limits: PlainLimits;
  readonly #open = new Set<PlainConnection>();
  #sweep: NodeJS.Timeout | undefined;

  constructor(limits: PlainLimits) {
    this.#limits = limits;
  }

  add(connection: PlainConnection): void {
    this.#open.add(connection);
    this.#sweep ??= setInterval(() => this.#expire(), sweepEvery).unref();
  }

  remove(connection: PlainConnection): void {
    this.#open.delete(connection);
    if (this.#open.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }

  closeIdle(): void {
    for (const connection of [...this.#open]) connection.endSoon();
  }

  closeAll(): void {
    for (const connection of [...this.#open]) connection.destroy();
  }

  #expire(): void {
    const now = performance.now();
    const { headersTimeout, requestTimeout, keepAliveTimeout } = this.#limits;
    const limits = {
      head: headersTimeout,
      body: requestTimeout,
      next: keepAliveTimeout,
      nothing: Number.POSITIVE_INFINITY,
    };
    for (const connection of [...this.#open]) {
      if (now - connection.waitsSince > limits[connection.waits]) connection.expire();
    }
  }
}

/** Looks at every connection of a server first, and gives those back to it whose requests are not plain. */
export function acceptPlain(
  server: Server,
  limits: PlainLimits,
  { serve, isRefused }: Pick<PlainParts, "serve" | "isRefused">,
): PlainConnections {
  const connections = new PlainConnections(limits);
  const [accept] = server.listeners("connection") as ((this: Server, socket: Socket) => void)[];
  server.removeAllListeners("connection");
  server.on("connection", (socket) => {
    const connection = new PlainConnection(socket, {
      serve,
      isRefused,
      handOver: (handed) => accept?.call(server, handed),
      onClose: (closed) => connections.remove(closed),
      keepAliveSeconds: Math.floor(limits.keepAliveTimeout / 1_000),
      maxHeadBytes: limits.headerBytes,
    });
    connections.add(connection);
  });
  return connections;
}
