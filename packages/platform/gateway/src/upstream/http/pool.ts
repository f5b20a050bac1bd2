import type { Cancel, Clock } from "@trivium/runtime";
import type { Millis } from "@trivium/std";
import { Connection, type ResponseHandler, type UpstreamRequest } from "./connection.ts";

export interface PoolOptions {
  readonly clock: Clock;
  readonly connectTimeout: Millis;
}

/** How often connections that nobody used in time are looked for. */
const sweepEvery: Millis = 1_000;

/** The connections to one replica: as many as there are requests at the same time, kept for the next ones. */
export class Pool {
  readonly #host: string;
  readonly #port: number;
  readonly #options: PoolOptions;
  readonly #all = new Set<Connection>();
  /** The one that was used last is used next, so that the others can end. */
  readonly #free: Connection[] = [];
  #sweep: Cancel | undefined;
  #isClosing = false;

  /** `authority` is an address with a port. */
  constructor(authority: string, options: PoolOptions) {
    const { hostname, port } = new URL(`http://${authority}`);
    this.#host = hostname.replace(/^\[|\]$/g, "");
    this.#port = Number(port || 80);
    this.#options = options;
  }

  dispatch(request: UpstreamRequest, handler: ResponseHandler): void {
    const free = this.#takeFree();
    if (free === undefined) this.#open(request, handler);
    else free.send(request, handler);
  }

  /** Ends each connection when its exchange has ended. */
  close(): void {
    this.#isClosing = true;
    this.#stopSweep();
    for (const connection of this.#free.splice(0)) connection.close();
  }

  /** Ends all connections now. */
  destroy(): void {
    this.close();
    for (const connection of [...this.#all]) connection.destroy();
  }

  #takeFree(): Connection | undefined {
    for (;;) {
      const free = this.#free.pop();
      if (free === undefined || free.idleUntil > this.#options.clock.elapsed()) return free;
      free.close();
    }
  }

  #open(request: UpstreamRequest, handler: ResponseHandler): void {
    const connection = new Connection(request, handler, {
      host: this.#host,
      port: this.#port,
      clock: this.#options.clock,
      connectTimeout: this.#options.connectTimeout,
      onFree: (freed, keepAlive) => this.#keep(freed, keepAlive),
      onClose: (closed) => this.#forget(closed),
    });
    this.#all.add(connection);
  }

  #keep(connection: Connection, keepAlive: Millis) {
    if (this.#isClosing) return connection.close();
    connection.idleUntil = this.#options.clock.elapsed() + keepAlive;
    this.#free.push(connection);
    this.#sweep ??= this.#startSweep();
  }

  #forget(connection: Connection): void {
    this.#all.delete(connection);
    const at = this.#free.lastIndexOf(connection);
    if (at !== -1) this.#free.splice(at, 1);
  }

  #startSweep(): Cancel {
    return this.#options.clock.schedule(sweepEvery, () => {
      this.#sweep = undefined;
      const now = this.#options.clock.elapsed();
      for (const connection of this.#free.filter(({ idleUntil }) => idleUntil <= now)) connection.close();
      if (this.#free.length > 0) this.#sweep = this.#startSweep();
    });
  }

  #stopSweep(): void {
    this.#sweep?.();
    this.#sweep = undefined;
  }
}
