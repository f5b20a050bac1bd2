import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { until } from "@trivium/testkit";
import { sendPieces } from "../src/http/send-pieces.ts";

const piece = "x".repeat(256 * 1024);
const total = 400;

/** Sends 100 MB to a client; says how many pieces were taken from the source and whether the answer was cut off. */
async function sendTo(read: (incoming: IncomingMessage) => void, patience: number, isRead = () => true) {
  const state = { taken: 0, isClosed: false, isDone: false };
  async function* pieces() {
    for (; state.taken < total; state.taken += 1) yield piece;
  }
  const server = createServer((_, response) => {
    response.once("close", () => {
      state.isClosed = true;
    });
    void sendPieces(response, pieces(), patience).then(() => {
      state.isDone = true;
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const request = get({ host: "127.0.0.1", port: (server.address() as AddressInfo).port, agent: false }, read);
  request.on("error", () => undefined);
  await until(() => state.isDone && state.isClosed && isRead(), "the end of the answer");
  request.destroy();
  server.close();
  return state;
}

test("a page that reads nothing is cut off, and the source is not read on for it", async () => {
  const { taken } = await sendTo((incoming) => incoming.pause(), 300);
  assert.ok(taken < total / 2, `${taken} of ${total} pieces were taken`);
});

test("a page that reads slowly gets everything", async () => {
  let bytes = 0;
  const read = (incoming: IncomingMessage) =>
    incoming.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      incoming.pause();
      setImmediate(() => incoming.resume());
    });
  const { taken } = await sendTo(read, 20_000, () => bytes === total * piece.length);
  assert.equal(taken, total);
});
