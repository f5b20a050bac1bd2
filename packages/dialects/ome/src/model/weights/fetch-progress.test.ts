import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { describeFetching } from "./fetch-progress.ts";
import type { NodeProgress } from "./node-entry.ts";

const GiB = 2 ** 30;
const at = (completedBytes: number, totalBytes: number, speedBytesPerSec: number): NodeProgress => ({
  phase: "Downloading",
  totalBytes,
  completedBytes,
  speedBytesPerSec,
  lastUpdated: "",
});
const say = (progress: NodeProgress, before?: string) => describeFetching([{ name: "vm", progress }], before);

/** All that is said of a download of which its node speaks every five seconds. */
function reported(total: number, rateAt: (second: number) => number): string[] {
  const all: string[] = [];
  for (let bytes = 0, second = 0; bytes < total; second += 5) {
    const rate = rateAt(second);
    const now = say(at(bytes, total, rate), all.at(-1));
    if (now !== all.at(-1)) all.push(now);
    bytes += rate * 5;
  }
  return all;
}

describe("how far a download is", () => {
  test("in bytes, as a share, and the time left", () => {
    assert.equal(say(at(1_638_400, 2_991_200, 16_100)), "Downloading on vm: 1.6Mi of 2.9Mi (54%), about 85s left");
    assert.equal(say(at(GiB / 2, 40 * GiB, GiB / 100)), "Downloading on vm: 512.0Mi of 40.0Gi (1%), about 66m left");
    assert.match(say(at(0, 700 * GiB, GiB / 100)), /\(0%\), about 20h left$/);
  });
  test("nothing is made up: no speed, no time; no size, no share", () => {
    assert.equal(say(at(GiB, 4 * GiB, 0)), "Downloading on vm: 1.0Gi of 4.0Gi (25%)");
    assert.equal(say(at(4 * GiB, 4 * GiB, 7)), "Downloading on vm: 4.0Gi of 4.0Gi (100%)");
    assert.equal(say(at(3.7 * GiB, 0, 7)), "Downloading on vm: more than 3.0Gi");
    assert.equal(describeFetching([{ name: "vm" }], undefined), "Downloading on vm");
  });
});

describe("calm", () => {
  test("a long download is told about once a percent, however its speed swings", () => {
    const swinging = reported(700 * GiB, (second) => (0.6 + 0.4 * Math.sin(second)) * 0.2 * GiB);
    assert.ok(swinging.length >= 100 && swinging.length <= 110, `${swinging.length}`);
  });
  test("a short one about every ten seconds", () => {
    const even = reported(60, () => 1);
    assert.ok(even.length >= 4 && even.length <= 8, even.join("\n"));
  });
  test("one that stands, or becomes very slow, does not keep its promise of before", () => {
    const before = say(at(100 * GiB, 700 * GiB, GiB));
    assert.match(before, /about 10m left$/);
    assert.doesNotMatch(say(at(100 * GiB, 700 * GiB, 0), before), /left/);
    assert.match(say(at(100 * GiB, 700 * GiB, GiB / 100), before), /about 17h left$/);
  });
  test("one that stands and goes on again and again is told twice a percent at most", () => {
    const halting = reported(700 * GiB, (second) => (second % 10 === 0 ? 0 : GiB));
    assert.ok(halting.length <= 202, `${halting.length}`);
  });
  test("the first word has no time; the second has it", () => {
    const before = say(at(0, 700 * GiB, 0));
    assert.equal(before, "Downloading on vm: 0 of 700.0Gi (0%)");
    assert.match(say(at(GiB, 700 * GiB, GiB), before), /\(0%\), about 12m left$/);
  });
  test("one that begins anew says so", () => {
    const before = say(at(3 * GiB, 4 * GiB, 1000));
    assert.match(say(at(GiB, 4 * GiB, 1000), before), /\(25%\)/);
  });
  test("what is said twice is said alike, whatever was said before", () => {
    const amount = fc.nat({ max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(amount, amount, amount, fc.string(), (bytes, total, rate, before) => {
        const once = say(at(bytes, total, rate), before);
        assert.equal(say(at(bytes, total, rate), once), once);
        assert.doesNotMatch(once, /NaN|Infinity|undefined/);
      }),
    );
  });
});
