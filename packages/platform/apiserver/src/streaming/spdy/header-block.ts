import { constants, createDeflate, createInflate, type Deflate, type Inflate } from "node:zlib";
import { ProtocolFault } from "../protocol-fault.ts";
import { headerDictionary } from "./dictionary.ts";

/** A header block is small; one that grows beyond this when it is unpacked is hostile. */
const maxBytes = 16 * 1024;
const maxHeaders = 64;

/** Unpacks header blocks in the order of their frames: all blocks of a connection are one compressed stream. */
export class HeaderReader {
  readonly #inflate: Inflate = quietly(createInflate({ dictionary: headerDictionary, flush: constants.Z_SYNC_FLUSH }));

  async read(block: Buffer): Promise<Map<string, string>> {
    return parseHeaders(await pass(this.#inflate, block));
  }

  close(): void {
    this.#inflate.destroy();
  }
}

export class HeaderWriter {
  readonly #deflate: Deflate = quietly(createDeflate({ dictionary: headerDictionary, flush: constants.Z_SYNC_FLUSH }));

  /** A block without headers: replies have nothing to add. */
  empty(): Promise<Buffer> {
    return pass(this.#deflate, Buffer.alloc(4));
  }

  close(): void {
    this.#deflate.destroy();
  }
}

/** A stream that breaks while no block is read must not end the process. */
function quietly<S extends Inflate | Deflate>(stream: S): S {
  return stream.on("error", () => undefined) as S;
}

function pass(stream: Inflate | Deflate, input: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    const finish = (error?: Error | null): void => {
      stream.off("data", take);
      stream.off("error", finish);
      // The callback of a write can come before the error of a stream that was destroyed meanwhile.
      if (error instanceof Error || size > maxBytes)
        reject(new ProtocolFault("a SPDY header block cannot be decompressed"));
      else resolve(Buffer.concat(pieces));
    };
    const take = (piece: Buffer): void => {
      size += piece.length;
      if (size <= maxBytes) pieces.push(piece);
      else stream.destroy(new Error("too large"));
    };
    stream.on("data", take);
    stream.once("error", finish);
    stream.write(input, (error) => {
      // What is left in the stream comes out here.
      if (!stream.destroyed) stream.read();
      finish(error);
    });
  });
}

/** Names are lower case on the wire; several values of a name are joined by NUL, of which the first counts. */
export function parseHeaders(block: Buffer): Map<string, string> {
  const headers = new Map<string, string>();
  let at = 0;
  const number = (): number => {
    if (at + 4 > block.length) throw new ProtocolFault("a SPDY header block is cut off");
    at += 4;
    return block.readUInt32BE(at - 4);
  };
  const text = (): string => {
    const length = number();
    if (length > block.length - at) throw new ProtocolFault("a SPDY header block is cut off");
    at += length;
    return block.toString("utf8", at - length, at);
  };
  const count = number();
  if (count > maxHeaders) throw new ProtocolFault(`a SPDY header block has more than ${maxHeaders} headers`);
  for (let i = 0; i < count; i += 1) {
    const name = text().toLowerCase();
    headers.set(name, text().split("\0", 1)[0] ?? "");
  }
  return headers;
}
