import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { constants, createDeflate, deflateSync } from "node:zlib";
import { ProtocolFault } from "../protocol-fault.ts";
import { headerDictionary } from "./dictionary.ts";
import { dataFrame, FrameReader, pingFrame } from "./frames.ts";
import { HeaderReader, parseHeaders } from "./header-block.ts";

test("the dictionary is the one of SPDY/3.1", () => {
  const digest = "51d27341373f923f3cd88e1eb7162aeaa3723d7585ff2399201dc06498407f02";
  assert.equal(createHash("sha256").update(headerDictionary).digest("hex"), digest);
});

test("frames are the same however their bytes arrive", () => {
  const bytes = Buffer.concat([
    dataFrame(1, Buffer.from("abc"), false),
    pingFrame(7),
    dataFrame(3, Buffer.alloc(0), true),
  ]);
  for (const size of [1, 2, 5, bytes.length]) {
    const reader = new FrameReader();
    const [seen, data]: [string[], Map<number, string>] = [[], new Map()];
    for (let at = 0; at < bytes.length; at += size) {
      for (const frame of reader.read(bytes.subarray(at, at + size))) {
        if (frame.is === "data") data.set(frame.stream, (data.get(frame.stream) ?? "") + frame.data.toString());
        if (frame.is !== "data" || frame.isLast) seen.push(frame.is);
      }
    }
    assert.deepEqual(
      [seen, [...data]],
      [
        ["ping", "data"],
        [
          [1, "abc"],
          [3, ""],
        ],
      ],
    );
  }
});

const block = (headers: Record<string, string>): Buffer => {
  const number = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  };
  const text = (value: string): Buffer => Buffer.concat([number(Buffer.byteLength(value)), Buffer.from(value)]);
  const entries = Object.entries(headers);
  return Buffer.concat([number(entries.length), ...entries.flatMap(([name, value]) => [text(name), text(value)])]);
};

test("header blocks of a connection are one compressed stream", async () => {
  const deflate = createDeflate({ dictionary: headerDictionary, flush: constants.Z_SYNC_FLUSH });
  const pack = (bytes: Buffer): Promise<Buffer> =>
    new Promise((resolve) => deflate.write(bytes, () => resolve(deflate.read() as Buffer)));
  const reader = new HeaderReader();
  for (const streamType of ["error", "stdin", "stdout"]) {
    const headers = await reader.read(await pack(block({ Streamtype: streamType, port: "80" })));
    assert.deepEqual(
      [...headers],
      [
        ["streamtype", streamType],
        ["port", "80"],
      ],
    );
  }
  reader.close();
});

test("header blocks that are broken or grow without end are refused", async () => {
  const bomb = deflateSync(Buffer.alloc(10_000_000), { dictionary: headerDictionary });
  for (const hostile of [Buffer.from("nonsense"), bomb, deflateSync(Buffer.of(0, 0))]) {
    const reader = new HeaderReader();
    await assert.rejects(reader.read(hostile), ProtocolFault);
    reader.close();
  }
  assert.throws(() => parseHeaders(Buffer.of(0, 0, 1, 0)), ProtocolFault);
  assert.throws(() => parseHeaders(Buffer.of(0, 0, 0, 1, 255, 255, 255, 255)), ProtocolFault);
});
