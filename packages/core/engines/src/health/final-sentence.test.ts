import assert from "node:assert/strict";
import { test } from "node:test";
import { finalSentence } from "./final-sentence.ts";

test("the sentence of the last line of JSON is what people read; everything else stays as it is", () => {
  const error = (message: unknown) => JSON.stringify({ event: "error", reason: "NotFound", message });
  const rows: readonly (readonly [string, string])[] = [
    [`{"bytes":1} ${error("it is gone")}`, "it is gone"],
    [`${error("first")} ${error("second")}`, "second"],
    [error(7), error(7)],
    ["error loading model", "error loading model"],
    ['{"event":"error","mess', '{"event":"error","mess'],
    ["null", "null"],
    ["", ""],
  ];
  for (const [words, sentence] of rows) assert.equal(finalSentence(words), sentence);
});
