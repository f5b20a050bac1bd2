import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { startEmbedded } from "../kubectl/embedded.ts";
import type { Posting } from "./kept-alive-client.ts";
import { identity, serving } from "./serving.ts";

async function post(workerData: Posting): Promise<unknown> {
  const client = new Worker(new URL("./kept-alive-client.ts", import.meta.url), { workerData });
  const [outcomes] = await once(client, "message");
  return outcomes;
}

describe("large bodies on kept-alive connections", () => {
  it("are all answered, over one connection and over many", async () => {
    const folder = await mkdtemp(join(tmpdir(), "trivium-kept-alive-"));
    const { server, identity, close } = await startEmbedded(folder);
    const { token, authority } = identity;
    try {
      for (const lanes of [1, 8]) {
        const posting: Posting = { port: server.port, token, authority, lanes, requests: 150, bytes: 200_000 };
        assert.deepEqual(await post(posting), { "201": 150 });
      }
    } finally {
      await close();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("are answered when they arrive before the last answer was read", async () => {
    const answerBytes = 20_000_000;
    await using running = await serving(async ({ body = "" }) => ({
      status: 200,
      headers: {},
      body: body.slice(0, 1).repeat(answerBytes),
    }));
    const socket = await running.socket();
    const post = (letter: string) =>
      `POST / HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${identity.token}\r\ncontent-length: 1000000\r\n\r\n${letter.repeat(1_000_000)}`;
    socket.write(post("a"));
    // The answer has begun and is far too large for what the system keeps for a reader.
    await once(socket, "readable");
    socket.write(post("b"));
    const count = { a: 0, b: 0 };
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      for (const byte of chunk) {
        if (byte === 97) count.a++;
        else if (byte === 98) count.b++;
      }
      if (count.b >= answerBytes) break;
    }
    assert.ok(count.a >= answerBytes && count.b >= answerBytes, JSON.stringify(count));
  });
});
