import assert from "node:assert/strict";
import { test } from "node:test";
import { lastErrorReason, lastLogLine } from "./last-log-line.ts";

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

test("the reason of the last error is a field of its line", () => {
  const stopped = '{"event":"error","reason":"Stopped","message":"stopped on request"}';
  assert.equal(lastErrorReason(`{"bytes":1} ${stopped}`), "Stopped");
  for (const words of ["", "Stopped", '{"event":"error"', '{"event":"error","reason":7}', '"Stopped"'])
    assert.equal(lastErrorReason(words), undefined, words);
});
