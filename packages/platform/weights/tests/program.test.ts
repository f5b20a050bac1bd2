import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { runProgram } from "../src/program/program.ts";
import { HubServer } from "./servers/hub-server.ts";
import { bytes, folder, mebibyte, serve } from "./stage.ts";

const main = join(import.meta.dirname, "../src/main.ts");

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function start(
  t: TestContext,
  args: readonly string[],
  environment: Record<string, string> = {},
): { child: ChildProcess; ended: Promise<Ended> } {
  const env = { PATH: process.env.PATH ?? "", HF_HOME: "/nonexistent", ...environment };
  const child = spawn(process.execPath, [main, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  t.after(() => child.kill("SIGKILL"));
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => (out += chunk));
  child.stderr.on("data", (chunk) => (err += chunk));
  return { child, ended: new Promise((resolve) => child.on("close", (code) => resolve({ code, out, err }))) };
}

/** The same program inside this process, for what does not need to be killed. */
async function run(args: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
  const said = { out: "", err: "" };
  const stream = (name: "out" | "err") => ({
    write: (text: string) => {
      said[name] += text;
    },
  });
  const signal = new AbortController().signal;
  const env = { HF_HOME: "/nonexistent", ...environment };
  const code = await runProgram(args, { environment: env, signal, out: stream("out"), err: stream("err") });
  return { code, ...said };
}

test("fetch shows progress as JSON lines on standard error and the result on standard output", async (t) => {
  const [server, dir] = [await serve(t, 4 * mebibyte), await folder(t)];
  server.bytesPerSecond = 2 * mebibyte;
  const { code, out, err } = await run([
    "fetch",
    server.url(),
    "--to",
    join(dir, "m"),
    "--sha256",
    server.sha256,
    "--json",
  ]);
  assert.equal(code, 0, err);
  const done = JSON.parse(out);
  assert.deepEqual([done.event, done.how, done.bytes], ["done", "fetched", 4 * mebibyte]);
  const lines = err
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.ok(lines.every((line, i) => line.event === "progress" && line.bytes >= (lines[i - 1]?.bytes ?? 0)));
  assert.equal(lines.at(-1)?.bytes, 4 * mebibyte);
  assert.ok((await readFile(join(dir, "m", "model.bin"))).equals(server.content));
});

test("every kind of failure has its exit code, and no secret is said", async (t) => {
  const [server, hub, dir] = [await serve(t, 1000), await new HubServer().listen(), await folder(t)];
  t.after(() => hub.close());
  const hubEnvironment = { HF_ENDPOINT: hub.endpoint, HF_TOKEN: "hf_lost_token" };
  const to = ["--to", join(dir, "m")];
  const cases: [number, string[], Record<string, string>?][] = [
    [2, ["fetch", "vendor://thing/x", ...to]],
    [2, ["fetch", "org/repo"]],
    [2, ["fetch", `${server.url()}`, ...to, "--sha256", "abc"]],
    [3, ["inspect", "org/repo@gone"], { HF_ENDPOINT: hub.endpoint }],
    [4, ["fetch", "org/repo", ...to], hubEnvironment],
    [4, ["fetch", "/etc/hostname", ...to]],
    [5, ["fetch", `${server.url()}?sig=s3cr3t`, ...to, "--sha256", "0".repeat(64)]],
    [6, ["fetch", server.url(), ...to, "--quota", "500"]],
  ];
  await Promise.all(
    cases.map(async ([expected, args, environment]) => {
      const { code, out, err } = await run(args, environment);
      assert.equal(code, expected, `${args.join(" ")}: ${err}`);
      assert.doesNotMatch(out + err, /hf_lost_token|s3cr3t/);
      assert.ok(err.length > 0);
    }),
  );
});

test("ls, prune and fsck tell of a store", async (t) => {
  const [server, dir] = [await serve(t, 1000), await folder(t)];
  const store = ["--store", join(dir, "store"), "--json"];
  assert.equal((await run(["fetch", `${server.url()}?sig=s3cr3t`, "--to", join(dir, "m"), ...store])).code, 0);
  const listed = await run(["ls", ...store]);
  const { models } = JSON.parse(listed.out);
  assert.deepEqual([models.length, models[0].bytes, models[0].references[0].is], [1, 1000, "view"]);
  assert.doesNotMatch(listed.out, /s3cr3t/);
  assert.deepEqual(JSON.parse((await run(["fsck", ...store])).out).findings, []);
  assert.deepEqual(JSON.parse((await run(["prune", ...store])).out).evicted, []);
  assert.equal((await run(["ls"])).code, 2);
});

test("when the source is down, what was fetched before serves on", async (t) => {
  const [server, dir] = [await serve(t, 1000), await folder(t)];
  const url = server.url();
  const args = ["--store", join(dir, "store"), "--json"];
  assert.equal((await run(["fetch", url, "--to", join(dir, "a"), ...args])).code, 0);
  await server.close();
  const kept = await run(["fetch", url, "--to", join(dir, "b"), ...args]);
  assert.equal(kept.code, 0, kept.err);
  assert.equal(JSON.parse(kept.out).how, "kept");
  assert.ok((await readFile(join(dir, "b", "model.bin"))).equals(server.content));
});

test("killed at random again and again, a download fetches hardly more than its size", async (t) => {
  const kills = Number(process.env.WEIGHTS_KILLS ?? 4);
  const [server, dir] = [await serve(t, (24 + kills) * mebibyte), await folder(t)];
  // Slow enough on each connection that little lies in socket buffers when the process dies.
  server.bytesPerSecond = 2 * mebibyte;
  const args = ["fetch", server.url(), "--to", dir, "--sha256", server.sha256, "--connections", "4", "--json"];
  for (let i = 0; i < kills; i++) {
    const before = server.sent;
    const { child, ended } = start(t, args);
    for (let wait = 0; server.sent === before && wait < 500; wait++) await sleep(10);
    await sleep(Math.random() * 250);
    child.kill("SIGKILL");
    await ended;
  }
  server.bytesPerSecond = Number.POSITIVE_INFINITY;
  const { code, err } = await run(args);
  assert.equal(code, 0, err);
  assert.ok((await readFile(join(dir, "model.bin"))).equals(server.content));
  const share = server.sent / server.content.length;
  t.diagnostic(`sent ${share.toFixed(3)} of the size over ${kills} kills`);
  assert.ok(share < 1.2, `sent ${share} of the size`);
});

test("processes that want the same model cause one download, also when the first is killed", async (t) => {
  const [server, dir] = [await serve(t, 4 * mebibyte), await folder(t)];
  server.content = bytes(4 * mebibyte);
  server.bytesPerSecond = mebibyte;
  const fetch = (name: string) =>
    start(t, ["fetch", server.url(), "--to", join(dir, name), "--store", join(dir, "store"), "--json"]);
  const first = fetch("first");
  for (let wait = 0; server.sent < 100_000 && wait < 500; wait++) await sleep(10);
  const others = Array.from({ length: 4 }, (_, i) => fetch(`m${i}`));
  first.child.kill("SIGKILL");
  const ended = await Promise.all(others.map((each) => each.ended));
  assert.deepEqual(
    ended.map(({ code }) => code),
    [0, 0, 0, 0],
    ended.map(({ err }) => err).join(""),
  );
  const hows = ended.map(({ out }) => JSON.parse(out).how as string);
  assert.equal(hows.filter((how) => how === "fetched").length, 1, hows.join(" "));
  assert.ok(server.sent < server.content.length * 1.2, `sent ${server.sent}`);
});

test("asked to stop, it stops at once, says so, and goes on later", async (t) => {
  const [server, dir] = [await serve(t, 4 * mebibyte), await folder(t)];
  server.bytesPerSecond = 200_000;
  const { child, ended } = start(t, ["fetch", server.url(), "--to", dir]);
  for (let wait = 0; server.sent < 200_000 && wait < 500; wait++) await sleep(10);
  child.kill("SIGTERM");
  const { code, err } = await ended;
  assert.equal(code, 130);
  assert.match(err, /stopped on request/);
  server.bytesPerSecond = Number.POSITIVE_INFINITY;
  assert.equal((await run(["fetch", server.url(), "--to", dir])).code, 0);
  assert.ok(server.sent < server.content.length * 1.2, `sent ${server.sent}`);
});
