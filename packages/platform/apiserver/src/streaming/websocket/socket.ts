import type { Duplex } from "node:stream";
import { ProtocolFault } from "../protocol-fault.ts";
import { whenDrained } from "../when-drained.ts";
import { binaryFrame, closeFrame, MessageReader, pongFrame, textFrame } from "./frames.ts";

/** Larger than anything that clients of Kubernetes send at once. */
const maxMessageBytes = 1024 * 1024;
const closeCodes = { normal: 1000, protocolError: 1002 };
/** Milliseconds that a client has to answer a close. */
const closeTime = 2_000;

/** The server's side of a WebSocket, after the handshake. */
export class WebSocketPeer {
  readonly #line: Duplex;
  readonly #ended = new AbortController();
  #isClosing = false;

  constructor(line: Duplex) {
    this.#line = line;
    line.once("close", () => this.end());
    line.on("error", () => this.end());
  }

  /** Aborted when the connection is gone, whoever ended it. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Messages until the client closes. The next one is read when this one is dealt with. */
  async *messages(): AsyncGenerator<{ readonly data: Buffer; readonly isText: boolean }> {
    const reader = new MessageReader(maxMessageBytes);
    try {
      for await (const chunk of this.#line) {
        for (const message of reader.read(chunk as Buffer)) {
          if (message.is === "data") yield message;
          else if (message.is === "ping") await this.#write(pongFrame(message.data));
          else return this.close();
        }
      }
    } catch (error) {
      if (error instanceof ProtocolFault) this.close(closeCodes.protocolError);
    } finally {
      if (!this.#isClosing) this.end();
    }
  }

  async send(data: Buffer): Promise<void> {
    await this.#write(binaryFrame(data));
  }

  async sendText(text: string): Promise<void> {
    await this.#write(textFrame(Buffer.from(text)));
  }

  close(code = closeCodes.normal): void {
    if (this.#isClosing || this.ended.aborted) return;
    this.#line.write(closeFrame(code));
    this.#isClosing = true;
    this.#line.end();
    const giveUp = setTimeout(() => this.end(), closeTime);
    this.ended.addEventListener("abort", () => clearTimeout(giveUp));
  }

  end(): void {
    if (this.ended.aborted) return;
    this.#ended.abort();
    this.#line.destroy();
  }

  async #write(frame: Buffer): Promise<void> {
    if (this.ended.aborted || this.#isClosing || this.#line.write(frame)) return;
    await whenDrained(this.#line);
  }
}
