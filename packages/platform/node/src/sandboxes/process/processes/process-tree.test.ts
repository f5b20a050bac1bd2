import assert from "node:assert/strict";
import { test } from "node:test";
import { identityOf, isAlive, type ProcessStat, parseStat } from "./process-identity.ts";
import { ProcessTable } from "./process-tree.ts";

test("a line of /proc is read, whatever the process calls itself", () => {
  const rest = "S 1 42 40 0 -1 4194304 103 0 0 0 7 5 0 0 20 0 1 0 1186969 2654208 400";
  const wanted = { pid: 42, state: "S", parent: 1, group: 42, session: 40, ticks: 12, start: "1186969" };
  for (const name of ["sh", "a b", ") S 9 9 (", "日本"]) assert.deepEqual(parseStat(`42 (${name}) ${rest}\n`), wanted);
  assert.equal(parseStat(""), undefined);
  assert.equal(parseStat("42 (sh) S 1"), undefined);
});

test("a process is itself, and not a later one with its number", {
  skip: process.platform !== "linux" && "no /proc",
}, () => {
  const own = identityOf(process.pid) ?? assert.fail("we are here");
  assert.equal(isAlive(own), true);
  assert.equal(isAlive({ ...own, start: "1" }), false);
  assert.equal(identityOf(2 ** 30), undefined);
});

test("a family is the session, the group, those that were seen there, and all their children", () => {
  const of = (pid: number, parent: number, session: number, more: Partial<ProcessStat> = {}): ProcessStat => ({
    pid,
    parent,
    session,
    group: session,
    state: "S",
    ticks: 0,
    start: String(pid),
    ...more,
  });
  const table = new ProcessTable([
    of(10, 1, 10),
    of(11, 10, 10),
    of(12, 11, 12),
    of(13, 1, 13),
    of(14, 13, 13),
    of(15, 11, 10, { state: "Z" }),
    of(20, 1, 20),
  ]);
  const pids = (found: readonly ProcessStat[]) => found.map(({ pid }) => pid).sort();
  assert.deepEqual(pids(table.familyOf(10)), [10, 11, 12]);
  assert.deepEqual(pids(table.familyOf(10, [{ pid: 13, start: "13" }])), [10, 11, 12, 13, 14]);
  assert.deepEqual(pids(table.familyOf(10, [{ pid: 13, start: "another" }])), [10, 11, 12]);
});
