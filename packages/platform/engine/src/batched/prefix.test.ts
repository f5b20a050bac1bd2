import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chooseSlot, commonPrefix } from "./prefix.ts";

const slot = (id: number, cached: readonly number[], lastUsed: number) => ({ id, cached, lastUsed });

describe("the slot for a prompt", () => {
  it("is the one that knows most of it", () => {
    const free = [slot(0, [1, 2], 9), slot(1, [1, 2, 3, 4, 9], 8), slot(2, [], 0)];
    assert.equal(chooseSlot(free, [1, 2, 3, 4, 5])?.id, 1);
  });

  it("is the one that was used the longest time ago when none knows enough", () => {
    const prompt = [1, ...Array.from({ length: 99 }, (_, at) => at + 100)];
    assert.equal(chooseSlot([slot(0, [1, 2], 5), slot(1, [1, 3], 4), slot(2, [7], 6)], prompt)?.id, 1);
  });

  it("is none when all are busy", () => {
    assert.equal(chooseSlot([], [1]), undefined);
  });
});

it("counts what two prompts have in common from the start", () => {
  assert.equal(commonPrefix([1, 2, 3], [1, 2, 4]), 2);
  assert.equal(commonPrefix([], [1]), 0);
  assert.equal(commonPrefix([1], Uint32Array.of(1, 2)), 1);
});
