import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "@trivium/testkit";
import { download } from "../src/transfer/download.ts";
import { Throttle } from "../src/transfer/http/throttle.ts";
import type { Progress } from "../src/transfer/meter.ts";
import { bytes, folder, impatient, lookUp, mebibyte, serve } from "./stage.ts";

test("a file comes in parallel ranges, verified, and leaves nothing else behind", async (t) => {
  const [server, dir] = [await serve(t, 20 * mebibyte), await folder(t)];
  const file = await lookUp(t, server.url(), { digest: { algorithm: "sha256", hex: server.sha256 } });
  const report = await download(file, join(dir, "m.bin"), impatient);
  assert.equal(report.sha256, server.sha256);
  assert.ok(server.gets > 4, `${server.gets} requests`);
  assert.ok((await readFile(join(dir, "m.bin"))).equals(server.content));
  assert.deepEqual(readdirSync(dir), ["m.bin"]);
});

test("an empty file is a file", async (t) => {
  const [server, dir] = [await serve(t, 0), await folder(t)];
  const report = await download(await lookUp(t, server.url()), join(dir, "m"), impatient);
  assert.equal(report.size, 0);
  assert.equal(report.sha256, server.sha256);
});

test("connections that are cut are taken up where they broke", async (t) => {
  const [server, dir] = [await serve(t, 8 * mebibyte), await folder(t)];
  server.misdeeds.cutAfter = (count) => (count % 2 === 1 ? 300_000 : undefined);
  const report = await download(await lookUp(t, server.url()), join(dir, "m"), impatient);
  assert.equal(report.sha256, server.sha256);
  assert.ok(report.fetched < 8 * mebibyte * 1.05, `fetched ${report.fetched}`);
});

test("a connection that stands still is given up, and only that one", async (t) => {
  const [server, dir] = [await serve(t, 4 * mebibyte), await folder(t)];
  server.misdeeds.stallAfter = (count) => (count === 1 || count === 3 ? 10_000 : undefined);
  const report = await download(await lookUp(t, server.url()), join(dir, "m"), impatient);
  assert.equal(report.sha256, server.sha256);
});

test("a connection that only drips is given up too", async (t) => {
  const [server, dir] = [await serve(t, 4 * mebibyte), await folder(t)];
  server.misdeeds.drips = (count) => count === 2;
  const report = await download(await lookUp(t, server.url()), join(dir, "m"), impatient);
  assert.equal(report.sha256, server.sha256);
});

test("a server that never says a word again ends as stalled, and the file can go on later", async (t) => {
  const [server, dir] = [await serve(t, 4 * mebibyte), await folder(t)];
  const retry = { ...impatient.retry, attempts: 2 };
  const file = await lookUp(t, server.url());
  server.misdeeds.stallAfter = (count) => (count <= 4 ? 200_000 : 0);
  await assert.rejects(download(file, join(dir, "m"), { ...impatient, retry }), {
    kind: "unreachable",
    reason: "Stalled",
  });
  server.misdeeds = {};
  const report = await download(file, join(dir, "m"), impatient);
  assert.ok(report.resumed > 0);
  assert.equal(report.sha256, server.sha256);
});

test("429 and 503 are waited out as the server asks, with fewer connections", async (t) => {
  const [server, dir] = [await serve(t, 4 * mebibyte), await folder(t)];
  server.misdeeds.refuse = (count) =>
    count >= 1 && count <= 3 ? { status: count === 2 ? 503 : 429, headers: { "retry-after": "0" } } : undefined;
  const report = await download(await lookUp(t, server.url()), join(dir, "m"), impatient);
  assert.equal(report.sha256, server.sha256);
});

test("a server that only ever fails is given up after the set number of tries", async (t) => {
  // Small enough for one request at a time, so that they can be counted.
  const [server, dir] = [await serve(t, mebibyte / 2), await folder(t)];
  const file = await lookUp(t, server.url());
  server.misdeeds.refuse = () => ({ status: 502 });
  await assert.rejects(download(file, join(dir, "m"), impatient), {
    kind: "unreachable",
    message: /502.*5 failures in a row/,
  });
  assert.equal(server.gets, 5);
});

for (const [status, kind, reason] of [
  [401, "not-allowed", "TokenRejected"],
  [403, "not-allowed", "AccessDenied"],
  [404, "not-found", "NotFound"],
] as const) {
  test(`${status} is final: ${reason}`, async (t) => {
    const [server, dir] = [await serve(t, mebibyte), await folder(t)];
    const file = await lookUp(t, server.url());
    server.misdeeds.refuse = () => ({ status });
    await assert.rejects(download(file, join(dir, "m"), impatient), { kind, reason });
    assert.ok(server.gets <= 4);
  });
}

test("where ranges are refused the file comes in one go, and a cut is survived", async (t) => {
  const [server, dir] = [await serve(t, 6 * mebibyte), await folder(t)];
  server.hasRanges = false;
  const report = await download(await lookUp(t, server.url()), join(dir, "m"), impatient);
  assert.equal(report.sha256, server.sha256);
  server.gets = 0;
  server.misdeeds.cutAfter = (count) => (count < 8 && count % 2 === 0 ? 3 * mebibyte : undefined);
  assert.equal((await download(await lookUp(t, server.url()), join(dir, "n"), impatient)).sha256, server.sha256);
});

test("a file of unknown length comes in one go", async (t) => {
  const [server, dir] = [await serve(t, 3 * mebibyte), await folder(t)];
  server.hasLength = false;
  server.hasRanges = false;
  const report = await download(await lookUp(t, server.url()), join(dir, "m"), impatient);
  assert.equal(report.size, 3 * mebibyte);
  assert.equal(report.sha256, server.sha256);
});

test("without a version a broken download starts over instead of guessing", async (t) => {
  const [server, dir] = [await serve(t, 3 * mebibyte), await folder(t)];
  server.etag = undefined;
  server.misdeeds.cutAfter = (count) => (count === 1 ? 2 * mebibyte : undefined);
  server.misdeeds.before = (count) => {
    if (count === 2) server.content = bytes(3 * mebibyte);
  };
  const report = await download(await lookUp(t, server.url()), join(dir, "m"), impatient);
  assert.equal(report.sha256, server.sha256);
  assert.ok((await readFile(join(dir, "m"))).equals(server.content));
});

for (const size of [8 * mebibyte, 5 * mebibyte]) {
  test(`a file that changes midway is fetched anew, never mixed (new length ${size})`, async (t) => {
    const [server, dir] = [await serve(t, 8 * mebibyte), await folder(t)];
    server.misdeeds.before = (count) => {
      if (count !== 4) return;
      server.content = bytes(size);
      server.etag = '"v2"';
    };
    const observed: Progress[] = [];
    const onProgress = (progress: Progress) => observed.push(progress);
    const report = await download(await lookUp(t, server.url()), join(dir, "m"), { ...impatient, onProgress });
    assert.equal(report.sha256, server.sha256);
    assert.equal(report.size, size);
    assertForward(observed);
  });
}

test("a file that never holds still is given up", async (t) => {
  const [server, dir] = [await serve(t, 4 * mebibyte), await folder(t)];
  server.misdeeds.before = (count) => {
    server.etag = `"v${count}"`;
  };
  await assert.rejects(download(await lookUp(t, server.url()), join(dir, "m"), impatient), {
    reason: "UpstreamChanged",
  });
  assert.equal(existsSync(join(dir, "m")), false);
});

test("a part of another version is not continued", async (t) => {
  const [server, dir] = [await serve(t, 6 * mebibyte), await folder(t)];
  const stop = new AbortController();
  server.misdeeds.stallAfter = (count) => (count > 2 ? 1000 : undefined);
  const stopped = assert.rejects(
    download(await lookUp(t, server.url()), join(dir, "m"), { ...impatient, signal: stop.signal }),
    { kind: "stopped" },
  );
  await until(() => server.gets > 2 && existsSync(join(dir, "m.part.journal")));
  stop.abort();
  await stopped;
  assert.deepEqual(readdirSync(dir).sort(), ["m.part", "m.part.journal"]);
  server.misdeeds = {};
  server.content = bytes(6 * mebibyte);
  server.etag = '"v2"';
  const report = await download(await lookUp(t, server.url()), join(dir, "m"), impatient);
  assert.equal(report.resumed, 0);
  assert.equal(report.sha256, server.sha256);
});

test("a wrong digest says expected and found, publishes nothing and leaves the old file alone", async (t) => {
  const [server, dir] = [await serve(t, 2 * mebibyte), await folder(t)];
  await writeFile(join(dir, "m"), "good");
  const wrong = "0".repeat(64);
  const file = await lookUp(t, server.url(), { digest: { algorithm: "sha256", hex: wrong } });
  await assert.rejects(download(file, join(dir, "m"), impatient), (error: Error) => {
    assert.match(error.message, new RegExp(`expected sha256 ${wrong}, found ${server.sha256}`));
    assert.equal((error as { kind?: string }).kind, "mismatch");
    return true;
  });
  assert.equal(await readFile(join(dir, "m"), "utf8"), "good");
  assert.deepEqual(readdirSync(dir), ["m"]);
});

test("resumed bytes that turn out wrong are fetched again before anyone is blamed", async (t) => {
  const [server, dir] = [await serve(t, 3 * mebibyte), await folder(t)];
  const file = await lookUp(t, server.url(), { digest: { algorithm: "sha256", hex: server.sha256 } });
  server.misdeeds.refuse = (count) => (count > 1 ? { status: 404 } : undefined);
  await assert.rejects(
    download(file, join(dir, "m"), { ...impatient, concurrency: { start: 1, max: 1, windowMs: 100 } }),
  );
  const part = await readFile(join(dir, "m.part"));
  part[10] = (part[10] ?? 0) ^ 1;
  await writeFile(join(dir, "m.part"), part);
  server.misdeeds = {};
  const report = await download(file, join(dir, "m"), impatient);
  assert.equal(report.sha256, server.sha256);
});

test("progress goes forward only, ends at the total and carries a rate", async (t) => {
  const [server, dir] = [await serve(t, 6 * mebibyte), await folder(t)];
  server.bytesPerSecond = 8 * mebibyte;
  server.misdeeds.cutAfter = (count) => (count % 3 === 0 ? 100_000 : undefined);
  const observed: Progress[] = [];
  await download(await lookUp(t, server.url()), join(dir, "m"), { ...impatient, onProgress: (p) => observed.push(p) });
  assertForward(observed);
  const last = observed.at(-1);
  assert.equal(last?.bytes, 6 * mebibyte);
  assert.equal(last?.total, 6 * mebibyte);
  assert.equal(last?.protocol, "http");
  assert.ok(observed.some((p) => p.rate > 0 && (p.etaSeconds ?? -1) >= 0));
});

test("a bandwidth limit holds over all connections together", async (t) => {
  const [server, dir] = [await serve(t, 2 * mebibyte), await folder(t)];
  const started = performance.now();
  await download(await lookUp(t, server.url()), join(dir, "m"), { ...impatient, throttle: new Throttle(4 * mebibyte) });
  const seconds = (performance.now() - started) / 1000;
  assert.ok(seconds > 0.3, `took ${seconds} s`);
});

function assertForward(observed: readonly Progress[]): void {
  for (const [i, progress] of observed.entries())
    assert.ok(progress.bytes >= (observed[i - 1]?.bytes ?? 0), `step ${i}`);
}
