import { connect, type Socket } from "node:net";

/** How fast requests were answered. */
export interface Load {
  readonly perSecond: number;
  /** Milliseconds, sorted. */
  readonly latencies: Float64Array;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

const end = Buffer.from("\r\n\r\n");

/** The cheapest client there can be: bytes that were made once, and just enough reading to see where an answer ends. */
class Caller {
  readonly #socket: Socket;
  readonly #request: Buffer;
  #received = 0;
  #expected = -1;
  #done: (() => void) | undefined;

  constructor(socket: Socket, request: Buffer) {
    this.#socket = socket;
    this.#request = request;
    socket.setNoDelay(true);
    socket.on("data", (piece) => this.#take(piece));
  }

  call(): Promise<void> {
    return new Promise((resolve) => {
      this.#done = resolve;
      this.#received = 0;
      this.#expected = -1;
      this.#socket.write(this.#request);
    });
  }

  #take(piece: Buffer): void {
    if (this.#expected === -1) {
      const head = piece.indexOf(end);
      const text = piece.toString("latin1", 0, head);
      if (!text.startsWith("HTTP/1.1 200")) throw new Error(`not an answer: ${text.slice(0, 200)}`);
      this.#expected = head + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1]);
    }
    this.#received += piece.length;
    if (this.#received < this.#expected) return;
    const done = this.#done;
    this.#done = undefined;
    done?.();
  }
}

/** So many requests over so many connections, each one after the other. */
export async function load(
  address: Address,
  request: Buffer,
  plan: { count: number; connections: number },
): Promise<Load> {
  const sockets = await Promise.all(Array.from({ length: plan.connections }, () => open(address)));
  const latencies = new Float64Array(plan.count);
  let next = 0;
  const began = performance.now();
  await Promise.all(
    sockets.map(async (socket) => {
      const caller = new Caller(socket, request);
      for (let index = next++; index < plan.count; index = next++) {
        const at = performance.now();
        await caller.call();
        latencies[index] = performance.now() - at;
      }
    }),
  );
  const perSecond = plan.count / ((performance.now() - began) / 1000);
  for (const socket of sockets) socket.destroy();
  return { perSecond, latencies: latencies.sort() };
}

function open({ host, port }: Address): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => resolve(socket));
    socket.once("error", reject);
  });
}

export const percentile = (sorted: Float64Array, share: number): number =>
  sorted[Math.floor(sorted.length * share)] ?? 0;

export function chatRequest(stream: "stream" | "whole"): Buffer {
  const body = JSON.stringify({
    model: "demo",
    messages: [{ role: "user", content: "Hi" }],
    ...(stream === "stream" ? { stream: true } : {}),
  });
  const head = [
    "POST /v1/chat/completions HTTP/1.1",
    "host: bench",
    "content-type: application/json",
    `content-length: ${body.length}`,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}
