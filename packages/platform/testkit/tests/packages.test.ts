import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startNginx, startService } from "@trivium/testkit";
import { startRedis } from "../src/packages/redis.ts";

test("nginx serves a folder, in ranges too, and is gone when it is stopped", async (t) => {
  const root = await mkdtemp(join(tmpdir(), "testkit-"));
  t.after(() => rm(root, { recursive: true, force: true }));
  await writeFile(join(root, "x"), "0123456789");
  const nginx = await startNginx({ root, server: "location = /here { return 204; }" });
  if (nginx.is === "missing") return t.skip(`skipped: ${nginx.why}`);
  t.after(() => nginx.stop());
  const base = `http://127.0.0.1:${nginx.port}`;
  const part = await fetch(`${base}/x`, { headers: { range: "bytes=2-4" } });
  assert.deepEqual([part.status, await part.text()], [206, "234"]);
  assert.equal((await fetch(`${base}/here`)).status, 204);
  await nginx.stop();
  assert.equal(existsSync(nginx.folder), false);
  await assert.rejects(fetch(`${base}/x`));
});

test("redis answers", async (t) => {
  const redis = await startRedis();
  if (redis.is === "missing") return t.skip(`skipped: ${redis.why}`);
  t.after(() => redis.stop());
  const socket = connect(redis.port, "127.0.0.1");
  socket.write("PING\r\n");
  const [answer] = await once(socket, "data");
  socket.destroy();
  assert.equal(String(answer), "+PONG\r\n");
});

test("a program that ends at once says so, with what it said", async () => {
  const prepare = async () => ["-c", "echo the reason >&2; exit 1"];
  await assert.rejects(startService({ program: "/bin/sh", prepare }), /does not answer.*the reason/);
});
