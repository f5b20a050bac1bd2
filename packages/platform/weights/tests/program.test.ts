import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { lstat, mkdir, readdir, readFile, readlink, realpath, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { HubServer, until } from "@trivium/testkit";
import { runProgram } from "../src/program/program.ts";
import { cacheKey } from "../src/store/layouts.ts";
import { bundledProgram } from "./bundle.ts";
import { bytes, folder, mebibyte, serve, smallDisk } from "./stage.ts";

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A process of its own, running the bundle. */
async function start(t: TestContext, args: readonly string[]): Promise<{ child: ChildProcess; ended: Promise<Ended> }> {
  const env = { PATH: process.env.PATH ?? "", HOME: "/nonexistent" };
  const child = spawn(process.execPath, [await bundledProgram(), ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  t.after(() => child.kill("SIGKILL"));
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => (out += chunk));
  child.stderr.on("data", (chunk) => (err += chunk));
  return { child, ended: new Promise((resolve) => child.on("close", (code) => resolve({ code, out, err }))) };
}

/** The same program inside this process, for what does not need to be killed. */
async function run(args: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
  const reported = { out: "", err: "" };
  const stream = (name: "out" | "err") => ({
    write: (text: string) => {
      reported[name] += text;
    },
  });
  const signal = new AbortController().signal;
  const env = { HOME: "/nonexistent", ...environment };
  const code = await runProgram(args, { environment: env, signal, out: stream("out"), err: stream("err") });
  return { code, ...reported };
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

test("remove deletes a folder of the store with its blobs, and nothing else", async (t) => {
  const [server, dir] = [await serve(t, 1000), await folder(t)];
  const store = ["--store", join(dir, "store"), "--json"];
  for (const name of ["a", "b"]) await run(["fetch", server.url(), "--to", join(dir, name), ...store]);
  const first = JSON.parse((await run(["remove", join(dir, "a"), ...store])).out);
  assert.deepEqual([first.evicted, first.freedBytes, first.bytes], [[], 0, 1000]);
  const second = JSON.parse((await run(["remove", join(dir, "b"), ...store])).out);
  assert.deepEqual([second.evicted.length, second.freedBytes, second.bytes], [1, 1000, 0]);
  assert.equal((await run(["remove", join(dir, "b"), ...store])).code, 0);
  await mkdir(join(dir, "mine"));
  const foreign = await run(["remove", join(dir, "mine"), ...store]);
  assert.equal(foreign.code, 2);
  assert.match(foreign.err, /shows no model of the store/);
  assert.deepEqual((await readdir(dir)).sort(), ["mine", "store"]);
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
  server.bytesPerSecond = mebibyte / 2;
  const args = ["fetch", server.url(), "--to", dir, "--sha256", server.sha256, "--connections", "4", "--json"];
  for (let i = 0; i < kills; i++) {
    const before = server.sent;
    const { child, ended } = await start(t, args);
    await until(() => server.sent > before);
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
  server.bytesPerSecond = mebibyte;
  const fetch = (name: string) =>
    start(t, ["fetch", server.url(), "--to", join(dir, name), "--store", join(dir, "store"), "--json"]);
  const first = await fetch("first");
  await until(() => server.sent >= 100_000);
  const others = await Promise.all([fetch("a"), fetch("b"), fetch("c")]);
  first.child.kill("SIGKILL");
  const ended = await Promise.all(others.map((each) => each.ended));
  assert.deepEqual(
    ended.map(({ code }) => code),
    [0, 0, 0],
    ended.map(({ err }) => err).join(""),
  );
  const hows = ended.map(({ out }) => JSON.parse(out).how as string);
  assert.equal(hows.filter((how) => how === "fetched").length, 1, hows.join(" "));
  assert.ok(server.sent < server.content.length * 1.2, `sent ${server.sent}`);
});

test("ten processes that want the same model at once cause one download and follow its progress", async (t) => {
  // Longer than the two seconds between signs of life of the one that fetches.
  const [server, dir] = [await serve(t, 4 * mebibyte), await folder(t)];
  server.bytesPerSecond = 300_000;
  const names = Array.from({ length: 10 }, (_, i) => `pod-${i}`);
  const store = join(dir, "store");
  const pods = await Promise.all(
    names.map((name) => start(t, ["fetch", server.url(), "--to", join(dir, name), "--store", store, "--json"])),
  );
  const ended = await Promise.all(pods.map((each) => each.ended));
  assert.ok(
    ended.every(({ code }) => code === 0),
    ended.map(({ err }) => err).join(""),
  );
  const hows = ended.map(({ out }) => JSON.parse(out).how as string);
  assert.equal(hows.filter((how) => how === "fetched").length, 1, hows.join(" "));
  assert.ok(hows.filter((how) => how === "followed").length >= 5, hows.join(" "));
  assert.equal(server.sent, server.content.length);
  for (const [i, { err }] of ended.entries()) {
    assert.ok((await readFile(join(dir, `pod-${i}`, "model.bin"))).equals(server.content));
    if (hows[i] !== "followed") continue;
    const observed = err
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { bytes: number; total: number });
    assert.ok(
      observed.length > 0 &&
        observed.every(({ bytes, total }, at) => bytes >= (observed[at - 1]?.bytes ?? 0) && total > 0),
    );
  }
});

test("asked to stop, it stops at once, says so, and goes on later", async (t) => {
  const [server, dir] = [await serve(t, 4 * mebibyte), await folder(t)];
  server.bytesPerSecond = 200_000;
  const { child, ended } = await start(t, ["fetch", server.url(), "--to", dir]);
  await until(() => server.sent >= 200_000);
  child.kill("SIGTERM");
  const { code, err } = await ended;
  assert.equal(code, 130);
  assert.match(err, /stopped; completed parts are kept/);
  server.bytesPerSecond = Number.POSITIVE_INFINITY;
  assert.equal((await run(["fetch", server.url(), "--to", dir])).code, 0);
  assert.ok(server.sent < server.content.length * 1.2, `sent ${server.sent}`);
});

test("a token that is lost and a branch that moves on the way each have their own words", async (t) => {
  const [hub, dir] = [await new HubServer().listen(), await folder(t)];
  t.after(() => hub.close());
  hub.files.set("model.bin", { content: bytes(mebibyte), isLarge: true });
  hub.files.set("config.json", { content: Buffer.from("{}"), isLarge: false });
  const environment = { HF_ENDPOINT: hub.endpoint, HF_TOKEN: hub.goodToken };
  const args = ["fetch", "org/repo", "--to", join(dir, "m"), "--store", join(dir, "store"), "--json"];
  assert.equal((await run(args, environment)).code, 0);
  const before = hub.contentRequests.length;
  hub.commit = "b".repeat(40);
  hub.files.set("config.json", { content: Buffer.from('{"new":1}'), isLarge: false });
  const moved = await run(args, environment);
  assert.equal(moved.code, 0, moved.err);
  const note = JSON.parse(moved.err.split("\n")[0] ?? "");
  assert.deepEqual(note, {
    event: "moved",
    source: "org/repo",
    from: `hf://org/repo@${"a".repeat(40)}`,
    to: `hf://org/repo@${"b".repeat(40)}`,
  });
  assert.equal(await readFile(join(dir, "m", "config.json"), "utf8"), '{"new":1}');
  assert.equal(hub.contentRequests.length, before, "what did not change is not fetched again");
  const lost = await run(args, { ...environment, HF_TOKEN: "hf_lost_token" });
  assert.deepEqual([lost.code, JSON.parse(lost.err).reason], [4, "TokenRejected"]);
  const gone = await run(["fetch", "org/repo@gone", ...args.slice(2)], environment);
  assert.deepEqual([gone.code, JSON.parse(gone.err).reason], [3, "RevisionNotFound"]);
});

test("models are pinned and held by key or source, and let go again", async (t) => {
  const [server, dir] = [await serve(t, 1000), await folder(t)];
  const store = ["--store", join(dir, "store"), "--json"];
  const done = JSON.parse((await run(["fetch", server.url(), "--to", join(dir, "m"), ...store])).out);
  await rm(join(dir, "m"), { recursive: true });
  const evicted = async () => JSON.parse((await run(["prune", ...store])).out).evicted.length as number;
  const reported = async (...args: string[]) => JSON.parse((await run([...args, ...store])).out).event as string;
  assert.equal(await reported("pin", server.url()), "pinned");
  assert.equal(await reported("hold", done.key, "--as", "pod-1"), "held");
  assert.equal(await evicted(), 0);
  assert.equal(await reported("unpin", done.key), "unpinned");
  assert.equal(await evicted(), 0);
  assert.equal((await run(["hold", done.key, ...store])).code, 2);
  assert.equal((await run(["hold", done.key, "--as", "../x", ...store])).code, 2);
  assert.equal((await run(["pin", "nothing/here", ...store])).code, 3);
  assert.equal(await reported("release", done.key, "--as", "pod-1"), "released");
  assert.equal(await evicted(), 1);
});

test("layouts show the same blob where others look for it, under the name they expect", async (t) => {
  const [server, dir] = [await serve(t, 1000), await folder(t)];
  const url = server.url();
  const fetch = (...args: string[]) => run(["fetch", url, "--store", join(dir, "store"), "--json", ...args]);
  const cache = join(dir, "models");
  const kube = await fetch("--to", cache, "--layout", "llmkube", "--name", "Llama-3.gguf");
  const path = join(cache, cacheKey(url), "Llama-3.gguf");
  assert.equal(JSON.parse(kube.out).directory, dirname(path), kube.err);
  const aim = await fetch("--to", join(dir, "model-cache"), "--layout", "aim", "--model-id", "acme/Foo-8B");
  assert.equal(aim.code, 0, aim.err);
  const ome = await fetch("--to", join(dir, "mnt", "x"), "--layout", "ome");
  assert.equal(ome.code, 0, ome.err);
  const observed = [path, join(dir, "model-cache/acme/Foo-8B/model.bin"), join(dir, "mnt/x/model.bin")];
  const inodes = await Promise.all(observed.map(async (each) => (await stat(each)).ino));
  assert.equal(new Set(inodes).size, 1);
  assert.deepEqual(JSON.parse((await run(["fsck", "--store", join(dir, "store"), "--json"])).out).findings, []);
  assert.deepEqual(await readdir(dirname(path)), ["Llama-3.gguf"]);
  for (const bad of [
    ["--layout", "aim"],
    ["--layout", "other"],
    ["--name", "../x"],
  ])
    assert.equal((await fetch("--to", cache, ...bad)).code, 2, bad.join(" "));
});

test("the progress can be asked for over HTTP while it goes on, and never written", async (t) => {
  const [server, dir] = [await serve(t, 2 * mebibyte), await folder(t)];
  server.bytesPerSecond = 300_000;
  const { child, ended } = await start(t, ["fetch", server.url(), "--to", dir, "--json", "--progress-port", "0"]);
  const [line] = await once(child.stderr as NodeJS.ReadableStream, "data");
  const { port } = JSON.parse(String(line).split("\n")[0] ?? "") as { port: number };
  const observed: { event: string; bytes?: number }[] = [];
  const ask = async (method = "GET") => fetch(`http://127.0.0.1:${port}/`, { method });
  await until(async () => {
    observed.push((await (await ask()).json()) as { event: string });
    return observed.some(({ event, bytes }) => event === "progress" && (bytes ?? 0) > 0);
  });
  assert.equal((await ask("POST")).status, 405);
  server.bytesPerSecond = Number.POSITIVE_INFINITY;
  assert.equal((await ended).code, 0);
  assert.deepEqual([...new Set(observed.map(({ event }) => event))].at(-1), "progress");
});

test("a full disk and a read-only disk each have their exit code", async (t) => {
  const [small, locked] = [await smallDisk(t, "size=2m"), await smallDisk(t, "size=8m,ro")];
  if (small === undefined || locked === undefined) return t.skip("skipped: mounting is not allowed here");
  const server = await serve(t, 4 * mebibyte);
  const full = await run(["fetch", server.url(), "--to", join(small, "m"), "--json"]);
  assert.deepEqual([full.code, JSON.parse(full.err).reason], [6, "NoSpace"]);
  const refused = await run(["fetch", server.url(), "--to", join(locked, "m"), "--json"]);
  assert.deepEqual([refused.code, JSON.parse(refused.err).reason], [4, "ReadOnly"]);
});

test("verify compares a file where it lies, and says what it found", async (t) => {
  const dir = await folder(t);
  const file = join(dir, "m.gguf");
  await writeFile(file, "weights");
  const right = createHash("sha256").update("weights").digest("hex");
  const good = await run(["verify", file, "--sha256", right.toUpperCase(), "--json"]);
  assert.deepEqual([good.code, JSON.parse(good.out)], [0, { event: "verified", file, sha256: right }]);
  const wrong = await run(["verify", file, "--sha256", "0".repeat(64), "--json"]);
  assert.equal(wrong.code, 5);
  assert.equal(JSON.parse(wrong.err).message, `${file}: expected sha256 ${"0".repeat(64)}, found ${right}`);
  assert.equal((await run(["verify", join(dir, "none"), "--sha256", right])).code, 3);
  assert.equal((await run(["verify", dir, "--sha256", right])).code, 2);
  assert.equal((await run(["verify", file, "--sha256", "xyz"])).code, 2);
  assert.equal((await run(["verify", file])).code, 2);
});

test("of several files a digest is of the one that is named", async (t) => {
  const dir = await folder(t);
  const hub = await new HubServer().listen();
  t.after(() => hub.close());
  hub.files.set("a.gguf", { content: Buffer.from("first"), isLarge: false });
  hub.files.set("b.gguf", { content: Buffer.from("second"), isLarge: true });
  const right = createHash("sha256").update("first").digest("hex");
  const fetch = (to: string, ...more: string[]) =>
    run(["fetch", "org/repo", "--to", join(dir, to), "--include", "*.gguf", "--json", ...more], {
      HF_ENDPOINT: hub.endpoint,
    });
  const good = await fetch("good", "--sha256", right, "--sha256-of", "a.gguf");
  assert.equal(good.code, 0, good.err);
  assert.equal((await fetch("good", "--sha256", right.toUpperCase(), "--sha256-of", "a.gguf", "--if-absent")).code, 0);
  const wrong = await fetch("wrong", "--sha256", "0".repeat(64), "--sha256-of", "a.gguf");
  assert.deepEqual([wrong.code, /a\.gguf: expected sha256 0{64}/.test(wrong.err)], [5, true]);
  const listed = await fetch("listed", "--sha256", right, "--sha256-of", "b.gguf");
  assert.deepEqual([listed.code, /in the source's listing/.test(listed.err)], [5, true]);
  assert.match((await fetch("which", "--sha256", right)).err, /select it with --sha256-of/);
  assert.match((await fetch("none", "--sha256", right, "--sha256-of", "c.gguf")).err, /file not found in the model/);
});

test("--link shows files of this machine as links, and copies nothing", async (t) => {
  const dir = await folder(t);
  const [source, to] = [join(dir, "mine"), join(dir, "shown")];
  await mkdir(join(source, "sub"), { recursive: true });
  await writeFile(join(source, "a.gguf"), bytes(mebibyte));
  await writeFile(join(source, "sub", "b.json"), "{}");
  const link = (uri: string, ...more: string[]) =>
    run(["fetch", uri, "--to", to, "--link", "--allow-root", source, "--json", ...more]);
  const { code, out, err } = await link(`file://${source}`);
  assert.equal(code, 0, err);
  assert.deepEqual([JSON.parse(out).how, JSON.parse(out).bytes], ["linked", mebibyte + 2]);
  assert.deepEqual((await readdir(to)).sort(), ["a.gguf", "sub"], "no store beside the links");
  assert.equal(await readlink(join(to, "a.gguf")), await realpath(join(source, "a.gguf")));
  assert.equal(await readFile(join(to, "sub", "b.json"), "utf8"), "{}");
  assert.equal((await link(`file://${source}`)).code, 0, "a second time changes nothing");
  assert.equal((await link(`file://${source}/a.gguf`, "--name", "c.gguf")).code, 0);
  assert.ok((await lstat(join(to, "c.gguf"))).isSymbolicLink());
  assert.equal((await lstat(join(source, "a.gguf"))).mode & 0o200, 0o200, "the file of the user is unchanged");
  for (const [expected, uri, ...more] of [
    [3, `file://${source}/gone.gguf`],
    [4, "file:///etc/passwd"],
    [2, `file://${source}`, "--name", "one"],
    [2, `file://${source}/a.gguf`, "--sha256", "0".repeat(64)],
    [2, (await serve(t, 10)).url()],
  ] as const)
    assert.equal((await link(uri, ...more)).code, expected, uri);
});
