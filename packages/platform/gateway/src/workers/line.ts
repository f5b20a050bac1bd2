/** Calls that one process can make to another: what goes there and what comes back. */
export type Calls = Readonly<Record<string, { readonly input: unknown; readonly output: unknown }>>;

export type Handlers<C extends Calls> = { readonly [N in keyof C]: (input: C[N]["input"]) => Promise<C[N]["output"]> };

/** What both ends of a channel between processes can do. */
export interface Port {
  send(message: object): void;
}

interface Message {
  readonly id: number;
  readonly call?: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly failure?: string;
}

/** Calls in both directions over one channel between two processes. */
export class Line<Own extends Calls, Other extends Calls> {
  readonly #port: Port;
  readonly #handlers: Handlers<Own>;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #next = 1;
  #isCut = false;

  constructor(port: Port, handlers: Handlers<Own>) {
    this.#port = port;
    this.#handlers = handlers;
  }

  /** Rejects when the other process refuses, has gone, or does not respond in time. */
  async call<N extends keyof Other & string>(
    name: N,
    input: Other[N]["input"],
    patience?: number,
  ): Promise<Other[N]["output"]> {
    if (this.#isCut) throw new Error("the other process has exited");
    const id = this.#next++;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    const timer =
      patience === undefined
        ? undefined
        : setTimeout(() => waiting.reject(new Error(`no response to ${name} in time`)), patience);
    try {
      this.#port.send({ id, call: name, input });
      return await waiting.promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  /** To be called with each message that arrives. */
  take(message: unknown): void {
    const { id, call, input, output, failure } = message as Message;
    if (call !== undefined) return void this.#answer(id, call, input);
    const waiting = this.#waiting.get(id);
    if (failure === undefined) waiting?.resolve(output);
    else waiting?.reject(new Error(failure));
  }

  /** The other process has gone. */
  cut(): void {
    this.#isCut = true;
    for (const { reject } of this.#waiting.values()) reject(new Error("the other process has exited"));
  }

  async #answer(id: number, call: string, input: unknown): Promise<void> {
    try {
      const handler = this.#handlers[call];
      if (handler === undefined) throw new Error(`unknown call ${call}`);
      this.#reply({ id, output: await handler(input) });
    } catch (error) {
      this.#reply({ id, failure: error instanceof Error ? error.message : String(error) });
    }
  }

  /** The process that asked may have ended. */
  #reply(message: Message): void {
    if (!this.#isCut) this.#port.send(message);
  }
}
