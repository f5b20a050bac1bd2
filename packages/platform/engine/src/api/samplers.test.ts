import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "./api-error.ts";
import { samplersLeftOut } from "./samplers.ts";

test("a request without a list has all samplers", () => {
  for (const none of [undefined, null, 5]) assert.deepEqual(samplersLeftOut(none), {});
});

test("what the list leaves out is turned off", () => {
  const { top_k, temperature, ...rest } = samplersLeftOut(["top_k", "temperature"]);
  assert.deepEqual([top_k, temperature], [undefined, undefined]);
  assert.deepEqual(rest, {
    ...{ repeat_penalty: 1, presence_penalty: 0, frequency_penalty: 0, dry_multiplier: 0 },
    ...{ top_n_sigma: -1, typical_p: 1, top_p: 1, min_p: 0, xtc_probability: 0 },
  });
  assert.equal(samplersLeftOut([]).temperature, 1);
});

test("letters and other names mean the same", () => {
  assert.deepEqual(samplersLeftOut("kt"), samplersLeftOut(["top_k", "temp"]));
  assert.deepEqual(samplersLeftOut("edskypmxt"), {});
});

test("an entry that is not text is refused, however deep it is", () => {
  const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
  for (const samplers of [deep, [5], [null], [{}], ["top_k", []]])
    assert.throws(
      () => samplersLeftOut(samplers),
      (error) => error instanceof ApiError && error.status === 400 && /^Field 'samplers'/.test(error.message),
    );
});
