import assert from "node:assert/strict";
import { test } from "node:test";
import { planFileSet } from "./file-set.ts";

test("files come once each, the primary first and the projector last", () => {
  assert.deepEqual(planFileSet({ files: ["a", "b", "a"], mmproj: "m" }), {
    is: "staged",
    files: ["a", "b", "m"],
    primary: "a",
    projector: "m",
  });
  assert.deepEqual(planFileSet({ files: null, mmproj: null }), { is: "none" });
});

test("the other parts of a split file come too", () => {
  const plan = planFileSet({ files: ["d/x-00001-of-00003.gguf"] });
  assert.deepEqual(plan.is === "staged" && plan.files, [
    "d/x-00001-of-00003.gguf",
    "d/x-00002-of-00003.gguf",
    "d/x-00003-of-00003.gguf",
  ]);
});

for (const files of [[""], ["/abs"], ["../x"], ["a/../../b"], ["*.gguf"], ["a?"], ["x["]]) {
  test(`${JSON.stringify(files)} is refused`, () => {
    assert.equal(planFileSet({ files }).is, "faulty");
  });
}

test("a projector without a model is refused", () => {
  assert.equal(planFileSet({ mmproj: "m" }).is, "faulty");
});
