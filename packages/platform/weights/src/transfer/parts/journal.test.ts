import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJournal } from "./journal.ts";

const head = JSON.stringify({ journal: 1, boot: "b1", version: '"e"', total: 100 });

test("on the same boot every whole line counts, and a torn one does not", () => {
  const read = parseJournal(`${head}\nw 0 10\nm 1\ns 1\nw 10 20\nw 20 30`, "b1");
  assert.deepEqual(read?.identity, { version: '"e"', total: 100 });
  assert.deepEqual(read?.ranges.ranges, [{ start: 0, end: 20 }]);
});

test("after another boot only what was synced counts", () => {
  const read = parseJournal(`${head}\nw 0 10\nm 1\nw 10 20\ns 1\nw 20 30\nm 2\n`, "b2");
  assert.deepEqual(read?.ranges.ranges, [{ start: 0, end: 10 }]);
  assert.deepEqual(parseJournal(`${head}\nw 0 10\n`, "b2")?.ranges.ranges, []);
});

test("without a boot id nothing that was not synced is trusted", () => {
  const unknown = JSON.stringify({ journal: 1, boot: "", version: null, total: null });
  assert.deepEqual(parseJournal(`${unknown}\nw 0 10\n`, "")?.ranges.ranges, []);
});

test("a journal that is not one is no journal", () => {
  for (const text of ["", "\n", "{}\nw 0 1\n", `${head}`, '{"journal":2,"boot":"b1"}\n', "garbage\nw 0 1\n"]) {
    assert.equal(parseJournal(text, "b1"), undefined, text);
  }
  assert.deepEqual(parseJournal(`${head}\nw x 1\nw 3 2\nrubbish\nw 99999999999999999 1\n`, "b1")?.ranges.size, 0);
});
