import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { percentile, summarizeValues } from "./distribution.ts";
import {
  type BenchmarkReport,
  defaultScenariosOf,
  formatScenario,
  makePrompt,
  type RequestRecord,
  readScenario,
  sampleRequest,
  summarizeBenchmark,
  summarizeRun,
  writeReportPage,
} from "./index.ts";
import { parseScenario } from "./scenario.ts";
import { benchmarkTasks } from "./task.ts";

const formatted = (text: string): string => {
  const parsed = parseScenario(text);
  return parsed.is === "scenario" ? formatScenario(parsed.scenario) : "faulty";
};

test("scenarios are read and written", () => {
  for (const [text, wanted] of [
    ["D(100,1000)", "D(100,1000)"],
    [" D(100, 1000) ", "D(100,1000)"],
    ["N(480,240)/(300,150)", "N(480,240)/(300,150)"],
    ["N(480,0)/(300,0)", "N(480,0)/(300,0)"],
    ["U(50,100)/(200,250)", "U(50,100)/(200,250)"],
    ["U(100,200)", "U(1,100)/(1,200)"],
    ["E(64)", "E(64)"],
    ["I(512,512)", "I(512,512)"],
    ["I(512,512,3)", "I(512,512,3)"],
    ["R(1024,100)", "R(1024,100)"],
    ["P(2000,100)/200", "P(2000,100)/200"],
  ]) {
    assert.equal(formatted(text as string), wanted, text);
  }
  for (const text of [
    ..."|D|D()|D(1)|D(1,2,3)|D(1,2)/(3,4)|D(1,2)/3|D(0,5)|D(-1,5)|D(1.5,2)|D(1,,2)|D(1,2)x|xD(1,2)|d(1,2)".split("|"),
    ..."E(1,2)|E()|E(0)|N(1,2)|N(1,2)/(3)|N(0,2)/(3,4)|U(9,1)/(1,2)|U(0,1)/(1,2)|I(5)|I(1,2,3,4)|R(1)|P(1,2)|P(1,2)/(3,4)".split(
      "|",
    ),
    "D(99999999999,1)",
    "D(99999999999999999999999,1)",
    `D(${"1".repeat(500)},1)`,
    "Z(1,2)",
    "D(1,2)\nD(3,4)",
    "__proto__(1,2)",
  ]) {
    assert.equal(formatted(text), "faulty", text);
  }
});

test("anything is read as a scenario or refused, and what is written is read again as the same", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.stringMatching(/^[DNUEIRP]\(\d{1,4}(,\d{1,4}){0,2}\)(\/\(?\d{1,4}(,\d{1,4})?\)?)?$/)),
      (text) => {
        const parsed = parseScenario(text);
        if (parsed.is === "faulty") return parsed.why.length > 0;
        return formatted(formatScenario(parsed.scenario)) === formatScenario(parsed.scenario);
      },
    ),
  );
});

test("tasks take their own scenarios, and all of the usual ones", () => {
  for (const task of benchmarkTasks)
    for (const text of defaultScenariosOf(task))
      assert.equal(readScenario(text, task).is, "scenario", `${task} ${text}`);
  const refused = readScenario("D(1,2)", "text-to-embeddings");
  assert.deepEqual(refused, {
    is: "faulty",
    why: '"D(1,2)" is not a scenario for text-to-embeddings (expected e.g. E(64) or E(128))',
  });
});

test("samples stay within their scenario", () => {
  const share = fc.double({ min: 0, max: 1 - Number.EPSILON, noNaN: true });
  fc.assert(
    fc.property(fc.nat(500), fc.nat(500), fc.array(share, { minLength: 4, maxLength: 4 }), (least, more, chance) => {
      let at = 0;
      const random = () => chance[at++ % chance.length] as number;
      const range = { least: least + 1, most: least + 1 + more };
      const uniform = sampleRequest({ is: "uniform", input: range, output: range }, random);
      const isInside = (tokens: number) => tokens >= range.least && tokens <= range.most && Number.isInteger(tokens);
      const spread = { mean: least + 1, deviation: more };
      const normal = sampleRequest({ is: "normal", input: spread, output: spread }, random);
      return (
        isInside(uniform.input) && isInside(uniform.output) && normal.input >= 1 && Number.isInteger(normal.output)
      );
    }),
  );
  const random = () => 0.5;
  assert.deepEqual(sampleRequest({ is: "fixed", input: 7, output: 9 }, random), { input: 7, output: 9, shared: 0 });
  const shape = sampleRequest({ is: "prefix", prefix: 3, suffix: 2, output: 9 }, random);
  assert.deepEqual(shape, { input: 5, output: 9, shared: 3 });
  assert.equal(makePrompt(shape, random).split(" ").length, 5);
  const [a, b] = [makePrompt(shape, () => 0), makePrompt(shape, () => 0.999)].map((text) => text.split(" "));
  assert.deepEqual(a?.slice(0, 3), b?.slice(0, 3));
  assert.notDeepEqual(a?.slice(3), b?.slice(3));
});

test("percentiles lie between their neighbours", () => {
  assert.equal(percentile([], 0.5), 0);
  assert.equal(percentile([7], 0.99), 7);
  assert.equal(percentile([0, 10], 0.5), 5);
  const { p50, p90, p99, max, min, mean, count } = summarizeValues([...Array(101).keys()].reverse());
  assert.deepEqual(
    { p50, p90, p99, max, min, mean, count },
    { p50: 50, p90: 90, p99: 99, max: 100, min: 0, mean: 50, count: 101 },
  );
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1e6 }), { minLength: 1 }), (values) => {
      const { min, p25, p50, p75, p90, p95, p99, max } = summarizeValues(values);
      const all = [min, p25, p50, p75, p90, p95, p99, max];
      return all.every((value, at) => at === 0 || value >= (all[at - 1] as number)) && min === Math.min(...values);
    }),
  );
});

const answered = (startedAt: number, firstAt: number, endedAt: number, outputTokens: number): RequestRecord => ({
  is: "answered",
  startedAt,
  firstAt,
  endedAt,
  inputTokens: 10,
  outputTokens,
});

const records: RequestRecord[] = [
  answered(0, 100, 1100, 11),
  answered(0, 200, 2200, 11),
  answered(1100, 1400, 1400, 1),
  { is: "failed", startedAt: 1400, endedAt: 1500, kind: "http", status: 500, message: "500 <boom>" },
  { is: "failed", startedAt: 1500, endedAt: 1600, kind: "reset", message: "socket hang up" },
  { is: "failed", startedAt: 1600, endedAt: 1700, kind: "http", status: 503, message: "later" },
];

test("a run is summed up over what was answered", () => {
  const run = summarizeRun({ scenario: "D(10,11)", concurrency: 2, durationMs: 2000, records });
  assert.deepEqual(run.requests, { sent: 6, answered: 3, failed: 3 });
  assert.deepEqual(run.errors, { http: 2, reset: 1 });
  assert.deepEqual(run.examples, { http: "500 <boom>", reset: "socket hang up" });
  assert.equal(run.errorRate, 0.5);
  assert.equal(run.requestsPerSecond, 1.5);
  assert.equal(run.outputTokensPerSecond, 11.5);
  assert.equal(run.timeToFirstToken.p50, 200);
  // The answer of one token has no time between tokens.
  assert.deepEqual([run.timePerOutputToken.count, run.timePerOutputToken.p50], [2, 150]);
  assert.equal(run.latency.max, 2200);
  const none = summarizeRun({ scenario: "D(10,11)", concurrency: 2, durationMs: 0, records: [] });
  assert.deepEqual([none.errorRate, none.requestsPerSecond, none.latency.p99], [0, 0, 0]);
});

const report = (runs: BenchmarkReport["runs"]): BenchmarkReport => ({
  schema: "trivium.dev/benchmark/v1",
  url: "http://127.0.0.1:1",
  model: "<img src=x>",
  task: "text-to-text",
  startedAt: "2026-01-01T00:00:00Z",
  endedAt: "2026-01-01T00:00:02Z",
  about: { Engine: "vLLM & co" },
  runs,
});

test("the summary names the best run and the commonest trouble", () => {
  const at = (concurrency: number, durationMs: number) =>
    summarizeRun({ scenario: "D(10,11)", concurrency, durationMs, records });
  const summary = summarizeBenchmark(report([at(1, 4000), at(4, 2000)]));
  assert.deepEqual([summary.requests, summary.answered, summary.errorRate], [12, 6, 0.5]);
  assert.deepEqual(summary.best?.concurrency, 4);
  assert.equal(summary.trouble, "500 <boom>");
  assert.deepEqual(summarizeBenchmark(report([])), { requests: 0, answered: 0, errorRate: 0 });
});

test("the page needs nothing from elsewhere and lets nothing through", () => {
  const at = (concurrency: number) => summarizeRun({ scenario: "D(10,11)", concurrency, durationMs: 2000, records });
  const page = writeReportPage(report([at(1), at(2), at(8)]));
  assert.equal(page.match(/<svg/g)?.length, 4);
  assert.equal(/<script|<link|<img|@import|url\(|src=[^x]/.test(page), false);
  assert.ok(page.includes("&lt;img src=x&gt;") && page.includes("vLLM &amp; co") && page.includes("500 &lt;boom&gt;"));
  assert.equal(/NaN|Infinity|undefined/.test(page), false);
  assert.equal(/NaN|Infinity|undefined/.test(writeReportPage(report([]))), false);
});
