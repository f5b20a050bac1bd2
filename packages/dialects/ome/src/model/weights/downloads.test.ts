import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { describeDownloads, planDownloads, type ReportedDownload } from "./downloads.ts";
import type { NodeProgress } from "./node-entry.ts";

const Gi = 2 ** 30;
const at = (completedBytes: number, totalBytes: number, speedBytesPerSec: number): NodeProgress => ({
  phase: "Downloading",
  totalBytes,
  completedBytes,
  speedBytesPerSec,
  lastUpdated: "",
});
const plan = (progress: NodeProgress, before?: readonly ReportedDownload[]) =>
  planDownloads([{ name: "vm", progress }], before);
const describeOne = (progress: NodeProgress) => describeDownloads(plan(progress), 1);

test("a download is reported in numbers and in a sentence", () => {
  assert.deepEqual(plan(at(Gi, 4 * Gi, Gi / 64)), [
    { node: "vm", bytesDone: Gi, bytesTotal: 4 * Gi, percent: 25, bytesPerSecond: Gi / 64, secondsLeft: 192 },
  ]);
  assert.equal(
    describeOne(at(Gi, 4 * Gi, Gi / 64)),
    "Downloading on vm: 1.0Gi of 4.0Gi (25%), 16.0Mi/s, about 4m left",
  );
});

test("nothing is made up: no rate, no time; no size, no share; no progress, only the node", () => {
  assert.equal(describeOne(at(Gi, 4 * Gi, 0)), "Downloading on vm: 1.0Gi of 4.0Gi (25%)");
  assert.equal(describeOne(at(3.7 * Gi, 0, 7)), "Downloading on vm: more than 3.0Gi");
  const nodes = [{ name: "a" }, { name: "b", queued: true as const }, { name: "c" }, { name: "d" }, { name: "e" }];
  const downloads = planDownloads(nodes);
  assert.deepEqual(downloads, [{ node: "a" }, { node: "b", queued: true }, { node: "c" }]);
  assert.equal(
    describeDownloads(downloads, nodes.length),
    "Downloading on a; b: queued after other downloads; c; 2 more nodes",
  );
});

describe("how often it changes", () => {
  test("what was reported of a node stays within a percent, and is of that node only", () => {
    const before = plan(at(Gi, 700 * Gi, Gi));
    assert.deepEqual(plan(at(2 * Gi, 700 * Gi, Gi), before), before);
    assert.notDeepEqual(plan(at(20 * Gi, 700 * Gi, Gi), before), before);
    const other = planDownloads([{ name: "other", progress: at(2 * Gi, 700 * Gi, Gi) }], before);
    assert.equal(other[0]?.bytesDone, 2 * Gi);
  });
  test("a node that was queued reports its first bytes at once", () => {
    const [first] = plan(at(1, 700 * Gi, 0), [{ node: "vm", queued: true }]);
    assert.deepEqual(first, { node: "vm", bytesDone: 1, bytesTotal: 700 * Gi, percent: 0, bytesPerSecond: 0 });
  });
  test("the same counts are reported once, whatever was reported before", () => {
    const amount = fc.nat({ max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(amount, amount, amount, (bytes, total, rate) => {
        const once = plan(at(bytes, total, rate));
        assert.deepEqual(plan(at(bytes, total, rate), once), once);
        assert.doesNotMatch(describeDownloads(once, 1), /NaN|Infinity|undefined/);
      }),
    );
  });
});
