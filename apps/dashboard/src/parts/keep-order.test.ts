import assert from "node:assert/strict";
import { test } from "node:test";
import { keepOrder } from "./keep-order.ts";

test("keys get the order of the other value, at every depth, and new ones come last", () => {
  const model = { b: 1, list: [{ y: 1, x: 2 }], a: { d: 1, c: 2 } };
  const value = { new: 0, a: { c: 3, d: 4 }, list: [{ x: 5, y: 6 }, { z: 7 }], b: null };
  assert.equal(
    JSON.stringify(keepOrder(value, model)),
    '{"b":null,"list":[{"y":6,"x":5},{"z":7}],"a":{"d":4,"c":3},"new":0}',
  );
  assert.deepEqual(keepOrder(value, undefined), value);
});
