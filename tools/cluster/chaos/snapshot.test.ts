import assert from "node:assert/strict";
import { test } from "node:test";
import { compareSnapshots, normalize } from "./snapshot.ts";

const available = { type: "Available", status: "True" };
const progressing = { type: "Progressing", status: "True" };
const compare = (first: object[], second: object[]): string[] =>
  compareSnapshots({ web: normalize({ list: first } as never) }, { web: normalize({ list: second } as never) });

test("conditions are compared by type, other lists in their order", () => {
  assert.deepEqual(compare([available, progressing], [progressing, available]), []);
  assert.notDeepEqual(compare([available, progressing], [progressing, { ...available, status: "False" }]), []);
  assert.notDeepEqual(compare([available, progressing], [available]), []);
  assert.notDeepEqual(compare([{ name: "a" }, { name: "b" }], [{ name: "b" }, { name: "a" }]), []);
});
