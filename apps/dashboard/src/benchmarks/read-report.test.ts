import assert from "node:assert/strict";
import { test } from "node:test";
import { alignSeries, readReport, seriesOf } from "./read-report.ts";

const run = (scenario: string, concurrency: number, tokens: number) => ({
  scenario,
  concurrency,
  outputTokensPerSecond: tokens,
  requestsPerSecond: tokens / 10,
  timeToFirstToken: { p50: 100 * concurrency },
  timePerOutputToken: { p50: 10 },
});
const text = JSON.stringify({
  schema: "trivium.dev/benchmark/v1",
  runs: [run("D(1,1)", 4, 70), run("D(1,1)", 1, 40), run("E(8)", 1, 5)],
});

test("runs of a scenario are one line, in the order of their concurrency", () => {
  const report = readReport(text);
  assert.ok(typeof report !== "string");
  const series = seriesOf("a", report);
  assert.deepEqual(
    series.map(({ name }) => name),
    ["a D(1,1)", "a E(8)"],
  );
  assert.deepEqual(
    alignSeries(series, ({ tokensPerSecond }) => tokensPerSecond),
    {
      x: [1, 4],
      lines: [
        { name: "a D(1,1)", values: [40, 70] },
        { name: "a E(8)", values: [5, null] },
      ],
    },
  );
});

test("another file is refused with the reason", () => {
  for (const other of ["", "[1]", "null", "{}", '{"schema":"trivium.dev/benchmark/v1"}'])
    assert.equal(typeof readReport(other), "string", other);
});
