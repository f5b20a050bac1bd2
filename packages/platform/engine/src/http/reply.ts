import type { IncomingMessage, ServerResponse } from "node:http";

/** A stream of server-sent events. The head goes out with the first event, so that an early error can still be a status. */
export class EventStream {
  readonly #response: ServerResponse;
  #waiting: (() => void)[] = [];

  constructor(response: ServerResponse) {
    this.#response = response;
    response.on("drain", () => {
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const go of waiting) go();
    });
  }

  /** The client reads slower than the model writes: hold text together until it has caught up. */
  get isFull(): boolean {
    return this.#response.writableNeedDrain;
  }

  get hasStarted(): boolean {
    return this.#response.headersSent;
  }

  onceDrained(go: () => void): void {
    this.#waiting.push(go);
  }

  send(payload: string, event?: string): void {
    if (!this.#response.headersSent)
      this.#response.writeHead(200, {
        "content-type": "text/event-stream",
        "cache-control": "no-cache",
        "x-accel-buffering": "no",
      });
    this.#response.write(`${event === undefined ? "" : `event: ${event}\n`}data: ${payload}\n\n`);
  }

  end(): void {
    this.#response.end();
  }
}

/** One request as the routes see it. */
export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly body: string;
  /** Aborted as soon as the client has gone. */
  readonly signal: AbortSignal;
}

export function sendJson(response: ServerResponse, status: number, text: string): void {
  sendText(response, status, "application/json; charset=utf-8", text);
}

export function sendText(response: ServerResponse, status: number, type: string, text: string): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text) });
  response.end(text);
}
