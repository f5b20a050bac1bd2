import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { DownloadProgress } from "@trivium/domain";
import fc from "fast-check";
import { formatProgress, keepProgress, parseDigest, parseListedBytes, parseProgress, planProgress } from "./index.ts";

const Gi = 2 ** 30;
const at = (bytes: number, total: number | undefined, rate: number): DownloadProgress =>
  planProgress({ bytes, total, rate });

describe("the log of a download", () => {
  const rows: readonly [string, DownloadProgress | undefined][] = [
    ["nothing", undefined],
    ['{"event":"done"}', undefined],
    ['x\n{"bytes":5,"total":10}\n{"other":1}', { bytesDone: 5, bytesTotal: 10, percent: 50 }],
    ['{"bytes":5}', { bytesDone: 5 }],
    ['{"bytes":5,"total":0}', { bytesDone: 5 }],
    ['{"bytes":10,"total":10,"rate":2}', { bytesDone: 10, bytesTotal: 10, percent: 100, bytesPerSecond: 2 }],
    [
      '{"event":"progress","file":"a","bytes":100,"total":300,"rate":10}\n{broken',
      { bytesDone: 100, bytesTotal: 300, percent: 33, bytesPerSecond: 10, secondsLeft: 20 },
    ],
    ['{"bytes":-1,"total":1e999}', { bytesDone: 0 }],
    [
      '{"bytes":1,"total":4,"files":3,"filesDone":1}',
      { files: { done: 1, total: 3 }, bytesDone: 1, bytesTotal: 4, percent: 25 },
    ],
  ];
  for (const [log, expected] of rows) test(JSON.stringify(log), () => assert.deepEqual(parseProgress(log), expected));

  test("the size of a listing", () => {
    assert.equal(parseListedBytes('{"files":[{"size":3},{"size":null},{"size":-1},7]}'), 3);
    assert.equal(parseListedBytes('{"url":"x","sizeBytes":42}'), 42);
    for (const log of ["", "[]", '{"files":[]}', '{"sizeBytes":"7"}', '{"sizeBytes":1e30}'])
      assert.equal(parseListedBytes(log), undefined, log);
  });

  test("the digest of what was downloaded", () => {
    const digest = "a".repeat(64);
    assert.equal(parseDigest(`{"event":"done","files":[{"sha256":"${digest}"}]}`), digest);
    for (const log of ["", '{"event":"done"}', '{"event":"done","files":[{"sha256":"short"}]}'])
      assert.equal(parseDigest(log), undefined, log);
  });
});

test("a sentence has bytes, share, rate and time left, as far as they are known", () => {
  assert.equal(formatProgress(at(1_638_400, 2_991_200, 16_100)), "1.6Mi of 2.9Mi (54%), 15.7Ki/s, about 85s left");
  assert.equal(formatProgress(at(Gi / 2, 40 * Gi, Gi / 100)), "512.0Mi of 40.0Gi (1%), 10.2Mi/s, about 66m left");
  assert.match(formatProgress(at(0, 700 * Gi, Gi / 100)), /\(0%\), 10\.2Mi\/s, about 20h left$/);
  assert.equal(formatProgress(at(Gi, 4 * Gi, 0)), "1.0Gi of 4.0Gi (25%)");
  assert.equal(formatProgress(at(4 * Gi, 4 * Gi, 7)), "4.0Gi of 4.0Gi (100%)");
  assert.equal(formatProgress(at(3.7 * Gi, undefined, 7)), "more than 3.0Gi");
});

/** All that is reported of a download that counts every five seconds. */
function reported(total: number, rateAt: (second: number) => number): DownloadProgress[] {
  const all: DownloadProgress[] = [];
  for (let bytes = 0, second = 0; bytes < total; second += 5) {
    const rate = rateAt(second);
    const before = all.at(-1);
    const next = keepProgress(before, at(bytes, total, rate));
    if (next !== before) all.push(next);
    bytes += rate * 5;
  }
  return all;
}

describe("how often progress is reported", () => {
  test("a long download about once a percent, however its rate swings", () => {
    const swinging = reported(700 * Gi, (second) => (0.6 + 0.4 * Math.sin(second)) * 0.2 * Gi);
    assert.ok(swinging.length >= 100 && swinging.length <= 110, `${swinging.length}`);
  });
  test("a short download about every ten seconds", () => {
    const { length } = reported(60, () => 1);
    assert.ok(length >= 4 && length <= 8, `${length}`);
  });
  test("a download that stalls or becomes very slow is corrected", () => {
    const before = at(100 * Gi, 700 * Gi, Gi);
    assert.equal(keepProgress(before, at(100 * Gi, 700 * Gi, 0)).secondsLeft, undefined);
    assert.equal(keepProgress(before, at(100 * Gi, 700 * Gi, 10_000_000)).secondsLeft, 64_425);
  });
  test("a download that stalls repeatedly is reported twice a percent at most", () => {
    const halting = reported(700 * Gi, (second) => (second % 10 === 0 ? 0 : Gi));
    assert.ok(halting.length <= 202, `${halting.length}`);
  });
  test("the first report has no time left; the second has", () => {
    const first = at(0, 700 * Gi, 0);
    assert.equal(first.secondsLeft, undefined);
    assert.equal(keepProgress(first, at(Gi, 700 * Gi, Gi)).secondsLeft, 699);
  });
  test("a download that restarts is reported", () => {
    assert.equal(keepProgress(at(3 * Gi, 4 * Gi, 1000), at(Gi, 4 * Gi, 1000)).percent, 25);
  });
  test("without a size, when the first digit changes", () => {
    const before = at(3.2 * Gi, undefined, 9);
    assert.equal(keepProgress(before, at(3.9 * Gi, undefined, 9)), before);
    assert.notEqual(keepProgress(before, at(4 * Gi, undefined, 9)), before);
    assert.notEqual(keepProgress(before, at(3.2 * Gi, 9 * Gi, 9)), before);
  });
  test("the same counts are reported once", () => {
    const amount = fc.nat({ max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(amount, amount, amount, (bytes, total, rate) => {
        const once = at(bytes, total, rate);
        assert.equal(keepProgress(once, at(bytes, total, rate)), once);
        assert.doesNotMatch(formatProgress(once), /NaN|Infinity|undefined/);
      }),
    );
  });
});
