import assert from "node:assert/strict";
import { test } from "node:test";
import { lastLogLine } from "./last-log-line.ts";

test("of JSON lines only the message of the last error is for people, and progress is no cause", () => {
  const error = (message: unknown) => JSON.stringify({ event: "error", reason: "NotFound", message });
  const progress = '{"event":"progress","bytes":1,"total":9}';
  const rows: readonly (readonly [string, string])[] = [
    [`{"bytes":1} ${error("it is gone")}`, "it is gone"],
    [`${error("first")} ${error("second")}`, "second"],
    [`${progress} ${progress}`, ""],
    [`… ytes":1,"total":9} ${progress}`, ""],
    [`${progress} Killed`, "Killed"],
    ["error loading model", "error loading model"],
    ['{"event":"error","mess', '{"event":"error","mess'],
    ["null", "null"],
    ["", ""],
  ];
  for (const [words, sentence] of rows) assert.equal(lastLogLine(words), sentence);
});
