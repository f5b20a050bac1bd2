import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { grantSlots, type SlotRequest } from "./grant-slots.ts";
import { readListedOutput } from "./read-output.ts";
import { retryDelay } from "./retry-delay.ts";

test("the list is found among other lines", () => {
  const list = '[{"a":1,"n":[1,[2]]}]';
  const outputs = [
    list,
    `\n ${list}\n`,
    `INFO [main] starting\n${list}`,
    `${list}\nbye`,
    `[{"old":1}]\n${list}`,
    `{"noise":[1,2]}\n${list}`,
    `x`.repeat(300_000) + list,
    JSON.stringify([{ a: 1, n: [1, [2]] }], null, 2),
  ];
  for (const output of outputs)
    assert.deepEqual(readListedOutput(output), { is: "found", first: { a: 1, n: [1, [2]] } }, output.slice(-80));
});

test("what is no list of objects is told so", () => {
  const rows: [string, RegExp][] = [
    ["", /output is empty/],
    ["  \n", /output is empty/],
    ["Traceback: boom", /no JSON list/],
    ["[]", /list in the output is empty/],
    ["[1]", /not an object/],
    ['[{"a":1}', /no JSON list/],
    ["]", /no JSON list/],
    [`noise [1,2]`, /no JSON list of objects/],
  ];
  for (const [output, why] of rows) {
    const found = readListedOutput(output);
    assert.match(found.is === "faulty" ? found.why : "found", why, output);
  }
});

test("output that is made to be slow is given up", () => {
  for (const nasty of [
    "[".repeat(500_000),
    `${"[".repeat(200_000)}]`,
    `${"[1]".repeat(80_000)}`,
    "]".repeat(10_000_000),
  ])
    assert.equal(readListedOutput(nasty).is, "faulty");
  fc.assert(fc.property(fc.string({ maxLength: 300 }), (output) => void readListedOutput(output)));
});

test("tries come slower and slower, up to an hour", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 6, 7, 8, 1e6].map(retryDelay),
    [0, 60_000, 120_000, 240_000, 1_920_000, 3_600_000, 3_600_000, 3_600_000],
  );
});

const request = (key: string, since: string, more: Partial<SlotRequest> = {}): SlotRequest => ({
  key,
  group: "team-a",
  since,
  attempts: 0,
  isHeld: false,
  ...more,
});

test("slots go to those who waited longest, failures last, and are not taken away", () => {
  const requests = [
    request("c", "2"),
    request("failing", "0", { attempts: 3 }),
    request("b", "1"),
    request("busy", "9", { isHeld: true }),
    request("a", "1"),
  ];
  assert.deepEqual([...grantSlots(requests, 3)], ["a", "b"]);
  assert.deepEqual([...grantSlots(requests, 1)], []);
  assert.deepEqual([...grantSlots(requests, 0)], []);
  assert.deepEqual([...grantSlots(requests, 10)], ["a", "b", "c", "failing"]);
});

test("a group with many wishes does not keep the others waiting", () => {
  const many = ["1", "2", "3", "4"].map((since) => request(`a${since}`, since));
  const late = request("b", "9", { group: "team-b" });
  const failing = request("c", "0", { group: "team-c", attempts: 2 });
  assert.deepEqual([...grantSlots([...many, late, failing], 4)], ["a1", "b", "c", "a2"]);
  const busy = request("b0", "0", { group: "team-b", isHeld: true });
  assert.deepEqual([...grantSlots([...many, late, busy], 3)], ["a1", "a2"]);
});
