import type { ServerResponse } from "node:http";
import type { ApiResponse } from "@trivium/kube";
import { headersOf } from "./response.ts";

/** Why a stream came to its end. */
export type StreamEnd = "finished" | "client-gone" | "client-stalled" | "closing";

export interface StreamOptions {
  /** Aborted when the server closes: the stream ends as if its source had. */
  readonly closing: AbortSignal;
  /** Milliseconds a client may leave the socket full. */
  readonly stallTime: number;
}

/**
 * Passes a stream on piece by piece. Nothing is read from the source while the socket is full, so a slow client holds no
 * more memory than one socket buffer here, and what its source keeps for it there.
 */
export async function sendStream(
  response: ServerResponse,
  answer: ApiResponse & { readonly body: AsyncIterable<string> },
  options: StreamOptions,
): Promise<StreamEnd> {
  response.writeHead(answer.status, headersOf(answer));
  response.flushHeaders();
  const iterator = answer.body[Symbol.asyncIterator]();
  using watch = new EndWatch(response, options.closing);
  try {
    const end = await pump(response, iterator, watch, options.stallTime);
    if (end === "client-stalled") response.destroy();
    else if (end !== "client-gone") response.end();
    return end;
  } finally {
    // The source may be waiting for its next event: it is told, not waited for.
    Promise.resolve(iterator.return?.()).catch(() => {});
  }
}

async function pump(
  response: ServerResponse,
  iterator: AsyncIterator<string>,
  watch: EndWatch,
  stallTime: number,
): Promise<StreamEnd> {
  for (;;) {
    const step = await watch.orEnd(iterator.next());
    if (typeof step === "string") return step;
    if (step.done === true) return "finished";
    if (response.write(step.value)) continue;
    const end = await watch.orEnd(drained(response, stallTime));
    if (end !== "drained") return end;
  }
}

function drained(response: ServerResponse, stallTime: number): Promise<"drained" | "client-stalled"> {
  return new Promise((resolve) => {
    const settle = (how: "drained" | "client-stalled") => () => {
      clearTimeout(timer);
      response.off("drain", onDrain);
      response.off("close", onDrain);
      resolve(how);
    };
    const onDrain = settle("drained");
    const timer = setTimeout(settle("client-stalled"), stallTime);
    response.on("drain", onDrain);
    response.on("close", onDrain);
  });
}

/**
 * Notices that the client or the server goes while something else is awaited. A race against one long-lived promise would
 * keep a reaction for every event of a watch that runs for days; here only the wait under way is known.
 */
class EndWatch implements Disposable {
  readonly #response: ServerResponse;
  readonly #closing: AbortSignal;
  #end: StreamEnd | undefined;
  #wake: (end: StreamEnd) => void = () => {};

  constructor(response: ServerResponse, closing: AbortSignal) {
    this.#response = response;
    this.#closing = closing;
    response.on("close", this.#onClose);
    closing.addEventListener("abort", this.#onClosing);
    if (closing.aborted) this.#onClosing();
    if (response.destroyed) this.#onClose();
  }

  readonly #onClose = () => this.#settle("client-gone");
  readonly #onClosing = () => this.#settle("closing");

  #settle(end: StreamEnd): void {
    this.#end ??= end;
    this.#wake(this.#end);
  }

  orEnd<T>(awaited: Promise<T>): Promise<T | StreamEnd> {
    return new Promise((resolve, reject) => {
      if (this.#end !== undefined) resolve(this.#end);
      this.#wake = resolve;
      awaited.then(resolve, reject);
    });
  }

  [Symbol.dispose](): void {
    this.#response.off("close", this.#onClose);
    this.#closing.removeEventListener("abort", this.#onClosing);
  }
}
