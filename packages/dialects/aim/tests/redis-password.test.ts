import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { connect } from "node:net";
import { test } from "node:test";
import { promisify } from "node:util";
import { debianPackages, programOf, startService } from "@trivium/testkit";
import type { KVCache } from "../src/kv-cache/names/names.ts";
import { planRedis } from "../src/kv-cache/roles/redis.ts";

const cache: KVCache = {
  apiVersion: "aim.silogen.ai/v1alpha1",
  kind: "AIMKVCache",
  metadata: { name: "kv", namespace: "team-a" },
  spec: { passwordSecret: { name: "kv" } },
};

/** What Redis says to one command, written as arrays of its protocol. */
function say(port: number, ...commands: string[][]): Promise<string> {
  const text = commands.map(
    (words) => `*${words.length}\r\n${words.map((w) => `$${Buffer.byteLength(w)}\r\n${w}\r\n`).join("")}`,
  );
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let reported = "";
    socket.on("data", (chunk) => {
      reported += chunk;
      if (reported.split("\r\n").length > commands.length) socket.end();
    });
    socket.once("error", reject).once("close", () => resolve(reported));
    socket.write(text.join(""));
  });
}

test("a real Redis requires the password of the Secret, with any characters, and its arguments do not contain it", async (t) => {
  const packages = await debianPackages("redis-server");
  if (packages.is === "missing") return t.skip(`skipped: ${packages.why}`);
  const { initContainers = [], containers } = planRedis(cache).pod.spec;
  const script = initContainers[0]?.command?.at(-1) ?? "";
  const command = containers[0]?.command ?? [];
  const password = `p"a\\s's $(id) \`w\` &rd`;
  const redis = await startService({
    program: programOf(packages, "redis-server"),
    environment: packages.environment,
    prepare: async ({ folder, port }) => {
      const inFolder = (word: string) => word.replaceAll("/run/redis-password", folder);
      const env = { PATH: process.env.PATH ?? "", REDIS_PASSWORD: password };
      await promisify(execFile)("sh", ["-c", inFolder(script)], { env });
      return [...command.slice(1).map(inFolder), "--bind", "127.0.0.1", "--port", String(port), "--dir", folder];
    },
  });
  t.after(() => redis.stop());
  assert.match(await say(redis.port, ["PING"]), /^-NOAUTH/);
  assert.match(await say(redis.port, ["AUTH", "wrong"]), /^-WRONGPASS/);
  assert.equal(await say(redis.port, ["AUTH", password], ["PING"]), "+OK\r\n+PONG\r\n");
  const { stdout } = await promisify(execFile)("ps", ["-o", "args=", "-p", String(redis.pid)]);
  assert.match(stdout, /redis/);
  assert.ok(!stdout.includes(password));
});
