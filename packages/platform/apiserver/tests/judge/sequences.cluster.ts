import assert from "node:assert/strict";
import test from "node:test";
import { readRows } from "./deliberate.ts";
import type { Sequence } from "./sequence.ts";
import { sequences } from "./sequences/index.ts";
import { judgeAll, openSuite } from "./suite.ts";

const wanted = process.env.JUDGE_ONLY ?? "";
const chosen = sequences.filter(({ name }) => name.includes(wanted));
const themes = Map.groupBy(chosen, ({ name }: Sequence) => name.split("/", 1)[0] as string);

test(`${chosen.length} sequences are answered alike`, async (context) => {
  const servers = await openSuite();
  const met = new Set<string>();
  for (const [theme, ofTheme] of themes) {
    await context.test(`${theme}: ${ofTheme.length}`, async () => {
      const { reports, rows } = await judgeAll(ofTheme, servers);
      for (const row of rows) met.add(row);
      assert.equal(reports.length, 0, `\n${reports.join("\n")}`);
    });
  }
  await context.test("every difference on purpose is in the table, and every row of the table is met", () => {
    if (wanted !== "") return;
    assert.deepEqual([...met].sort(), readRows().sort());
  });
});
