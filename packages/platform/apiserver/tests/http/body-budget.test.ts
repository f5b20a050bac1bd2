import assert from "node:assert/strict";
import { it } from "node:test";
import { until } from "@trivium/testkit";
import { identity, json, serving } from "./serving.ts";

const head = (length: number) =>
  `POST /api HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${identity.token}\r\nContent-Length: ${length}\r\n\r\n`;

it("refuses bodies beyond what the server holds at once, and takes them when others have ended", async () => {
  await using served = await serving(async () => json({ done: true }), { allBodyBytes: 100_000, lingerTime: 100 });
  const post = (bytes: number) => served.ask("/api", { method: "POST", body: "x".repeat(bytes) });
  assert.equal((await post(90_000)).status, 200);
  // Uploads that stop before their end, and clients that go without a word.
  const stalled = await Promise.all([1, 2].map(() => served.socket()));
  for (const socket of stalled) socket.write(`${head(50_000)}${"x".repeat(40_000)}`);
  await until(async () => (await post(50_000)).status === 429, "the memory for bodies is taken");
  const refused = await post(50_000);
  assert.equal(refused.headers["retry-after"], "1");
  assert.deepEqual(
    [JSON.parse(refused.body).reason, JSON.parse(refused.body).message],
    ["TooManyRequests", "the server holds too many large request bodies at once; try again later"],
  );
  assert.equal((await post(10_000)).status, 200, "a small body found no place");
  assert.equal((await served.ask("/api")).status, 200);
  stalled[0]?.write("x".repeat(10_000));
  await until(async () => (await post(50_000)).status === 200, "its place is free again");
  stalled[1]?.destroy();
  await until(async () => (await post(90_000)).status === 200, "so is that of a client that went");
});
