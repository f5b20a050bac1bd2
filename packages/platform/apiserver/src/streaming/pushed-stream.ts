import { Duplex } from "node:stream";

/** What a stream holds before its connection waits: neither SPDY nor WebSocket channels have flow control of their own here. */
const heldBytes = 256 * 1024;

/** One of several streams of a connection: what arrives for it is put in from outside. */
export abstract class PushedStream extends Duplex {
  #hasReceivedAll = false;
  #resume: () => void = () => undefined;

  constructor() {
    super({ readableHighWaterMark: heldBytes, writableHighWaterMark: heldBytes });
    // A stream that breaks is an end, not a fault of ours.
    this.on("error", () => undefined);
  }

  get hasReceivedAll(): boolean {
    return this.#hasReceivedAll;
  }

  /** Resolves when there is room for more. */
  async receive(data: Buffer, isLast: boolean): Promise<void> {
    if (this.destroyed || this.#hasReceivedAll) return;
    const hasRoom = data.length === 0 || this.push(data);
    if (isLast) {
      this.#hasReceivedAll = true;
      this.push(null);
    } else if (!hasRoom) {
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
      });
    }
  }

  override _read(): void {
    this.#resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#resume();
    done(error);
  }
}
