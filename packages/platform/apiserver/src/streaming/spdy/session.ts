import type { Duplex } from "node:stream";
import { ProtocolFault } from "../protocol-fault.ts";
import { PushedStream } from "../pushed-stream.ts";
import { whenDrained } from "../when-drained.ts";
import { dataFrame, type Frame, FrameReader, leaveFrame, pingFrame, replyFrame, resetFrame } from "./frames.ts";
import { HeaderReader, HeaderWriter } from "./header-block.ts";

/** Two for each connection that is forwarded; a client that opens more at once is refused. */
const maxStreams = 2048;
const pieceSize = 32 * 1024;

/** Streams that a client opens over one connection, as kubectl's SPDY/3.1 has them. */
export class SpdySession {
  readonly #line: Duplex;
  readonly #streams = new Map<number, SpdyStream>();
  readonly #reader = new HeaderReader();
  readonly #writer = new HeaderWriter();
  readonly #ended = new AbortController();
  #last = 0;

  constructor(line: Duplex) {
    this.#line = line;
    line.once("close", () => this.end());
    line.on("error", () => this.end());
  }

  /** Aborted when the connection is gone, whoever ended it. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Reads until the client leaves. Rejects with a `ProtocolFault` where it breaks the protocol. */
  async serve(onStream: (stream: SpdyStream) => void): Promise<void> {
    const frames = new FrameReader();
    try {
      for await (const chunk of this.#line) {
        for (const frame of frames.read(chunk as Buffer)) await this.#take(frame, onStream);
        if (this.ended.aborted) return;
      }
    } catch (error) {
      if (error instanceof ProtocolFault) throw error;
    } finally {
      this.end();
    }
  }

  /** Says that it leaves, and closes the line when all is sent. */
  async leave(): Promise<void> {
    if (this.ended.aborted) return;
    await this.write(leaveFrame(this.#last));
    this.#line.end();
  }

  end(): void {
    if (this.ended.aborted) return;
    this.#ended.abort();
    for (const stream of this.#streams.values()) stream.destroy();
    this.#streams.clear();
    this.#reader.close();
    this.#writer.close();
    this.#line.destroy();
  }

  async write(frame: Buffer): Promise<void> {
    if (this.ended.aborted || this.#line.write(frame)) return;
    await whenDrained(this.#line);
  }

  forget(id: number): void {
    this.#streams.delete(id);
  }

  async #take(frame: Frame, onStream: (stream: SpdyStream) => void): Promise<void> {
    switch (frame.is) {
      case "open":
        return await this.#open(frame, onStream);
      case "data":
        return await this.#streams.get(frame.stream)?.receive(frame.data, frame.isLast);
      case "headers":
        // Read although nothing needs it: the blocks of a connection are one compressed stream.
        await this.#reader.read(frame.block);
        return;
      case "reset":
        this.#streams.get(frame.stream)?.destroy();
        return;
      case "ping":
        return await this.write(pingFrame(frame.id));
      case "leave":
      case "ignored":
        return;
    }
  }

  async #open(
    { stream: id, block, isLast }: Extract<Frame, { is: "open" }>,
    onStream: (stream: SpdyStream) => void,
  ): Promise<void> {
    const headers = await this.#reader.read(block);
    if (id <= this.#last || id % 2 === 0) throw new ProtocolFault(`SPDY stream ${id} is out of order`);
    this.#last = id;
    if (this.#streams.size >= maxStreams) return await this.write(resetFrame(id));
    const stream = new SpdyStream(this, id, headers);
    this.#streams.set(id, stream);
    await this.write(replyFrame(id, await this.#writer.empty()));
    if (isLast) await stream.receive(Buffer.alloc(0), true);
    onStream(stream);
  }
}

/** One stream, in both directions. Ending it ends our side; destroying it tells the client that it is over. */
export class SpdyStream extends PushedStream {
  readonly headers: ReadonlyMap<string, string>;
  readonly #session: SpdySession;
  readonly #id: number;
  #hasSentAll = false;

  constructor(session: SpdySession, id: number, headers: ReadonlyMap<string, string>) {
    super();
    this.headers = headers;
    this.#session = session;
    this.#id = id;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    void this.#send(chunk).then(() => done());
  }

  override _final(done: (error?: Error) => void): void {
    this.#hasSentAll = true;
    void this.#session.write(dataFrame(this.#id, Buffer.alloc(0), true)).then(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#session.forget(this.#id);
    if (!this.#hasSentAll || !this.hasReceivedAll) void this.#session.write(resetFrame(this.#id));
    super._destroy(error, done);
  }

  async #send(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; at += pieceSize) {
      await this.#session.write(dataFrame(this.#id, chunk.subarray(at, at + pieceSize), false));
    }
  }
}
