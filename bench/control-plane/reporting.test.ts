import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { InferenceService } from "@trivium/llmkube";
import type { AuditedCall } from "./audit.ts";
import { measuredPart, replaceMeasured } from "./document.ts";
import { plotOf } from "./plot.ts";
import { readinessIn } from "./readiness.ts";
import { addResult, type RunResult, readResults } from "./results.ts";

const fleet = {
  service: InferenceService,
  isReady: ({ phase }: { readonly phase?: string }) => phase === "Ready",
};

function statusWrite(name: string, at: number, phase: string, more: Partial<AuditedCall> = {}): AuditedCall {
  const place = { group: "inference.llmkube.dev", resource: "inferenceservices", subresource: "status" };
  const body = { status: { phase } };
  return { verb: "patch", ...place, namespace: "bench", name, uri: "", code: 200, at, body, ...more };
}

test("a service is ready with the first successful write of its status that says so", () => {
  const calls = [
    statusWrite("a", 10, "Pending"),
    statusWrite("a", 20, "Ready"),
    statusWrite("a", 90, "Ready"),
    statusWrite("b", 30, "Ready", { code: 409 }),
    statusWrite("b", 40, "Ready"),
    statusWrite("c", 70, "Ready", { resource: "models" }),
    statusWrite("d", 80, "Ready", { subresource: "" }),
    statusWrite("e", 85, "", { body: undefined }),
  ];
  assert.deepEqual(readinessIn(calls, fleet), { count: 2, last: 40 });
  assert.deepEqual(readinessIn([], fleet), { count: 0, last: 0 });
});

function resultOf(services: number, more: Partial<RunResult> = {}): RunResult {
  return {
    dialect: "llmkube",
    services,
    nodes: "none",
    date: "2026-01-01",
    processors: 2,
    load: 0.5,
    firstPass: 900,
    peakMemory: 100e6 + services * 10_000,
    lastChild: services * 10,
    lastWrite: services * 20,
    ready: { count: services, took: services * 15 },
    writes: [
      { what: "patch deployments", count: services },
      { what: "create events", count: services * 2 },
    ],
    failedWrites: 0,
    passes: services * 9,
    unchanged: services * 5,
    operatorTime: services * 8,
    serverTime: services * 50,
    rest: { seconds: 30, writes: 0, written: [], calls: 10, time: 40 },
    single: [50, 70, 60],
    edit: { dependants: 10, followed: 10, writes: 25, took: 400 },
    bare: { lastChild: services * 10, whole: services * 10, failed: 0 },
    ...more,
  };
}

test("the plot has a curve for each dialect and kind of node, and one for the bare client; a larger figure is higher", () => {
  const svg = plotOf([resultOf(1_000), resultOf(100), resultOf(100, { dialect: "aim", nodes: "staged" })]);
  assert.match(svg, /^<svg xmlns/);
  assert.ok(svg.endsWith("</svg>\n"));
  for (const name of ["llmkube", "llmkube (bare client)", "aim, staged nodes", "aim, staged nodes (bare client)"])
    assert.ok(svg.includes(`>${name}</text>`), name);
  const [first = ""] = [...svg.matchAll(/points="([^"]+)"/g)].map(([, points]) => points);
  const points = first.split(" ").map((point) => point.split(",").map(Number) as [number, number]);
  const [few, many] = points;
  assert.ok(few !== undefined && many !== undefined && many[0] > few[0] && many[1] < few[1], first);
  assert.doesNotMatch(svg, /NaN|Infinity|undefined/);
});

test("a plot of one run, and of figures that are zero, is still a picture", () => {
  const svg = plotOf([resultOf(100, { lastChild: 0, bare: { lastChild: 0, whole: 0, failed: 0 } })]);
  assert.doesNotMatch(svg, /NaN|Infinity|undefined/);
});

test("results are kept in a file: a run replaces the like one of before, another operator has its own", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trivium-results-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "deep", "results.json");
  assert.deepEqual(readResults(path), []);
  addResult(path, resultOf(300));
  addResult(path, resultOf(100, { passes: 1 }));
  addResult(path, resultOf(100, { operator: "other --flag" }));
  addResult(path, resultOf(100));
  const kept = readResults(path).map(({ services, passes, operator }) => [services, passes, operator]);
  assert.deepEqual(kept, [
    [100, 900, undefined],
    [100, 900, "other --flag"],
    [300, 2_700, undefined],
  ]);
  assert.ok(!existsSync(`${path}.new`));
});

test("the generated part of the page has a table for each dialect and kind of node, and the rest of the page stays", () => {
  const results = [resultOf(100), resultOf(300), resultOf(100, { nodes: "staged", passes: undefined })];
  const part = measuredPart(results, "plot.svg");
  assert.match(part, /\| LLMKube, no node \| 100 \| 300 \| aim \|/);
  assert.match(part, /\| LLMKube, staged nodes \| 100 \| aim \|/);
  assert.match(part, /\| passes a service \| 9\.00 \| 9\.00 \| at most 15 \|/);
  assert.match(part, /\| passes a service \| – \| at most 15 \|/);
  assert.match(part, /\| last child: .* \| 1\.00 s, 1\.00 s, 1\.00 \|/);
  assert.match(part, /\| at rest, a minute: .* \| 0 \/ 20 \/ 0\.08 s \|/);
  assert.match(part, /\| a shared object is edited: .* \| 10, 25, 0\.40 s \|/);
  assert.match(part, /\| llmkube, no node: 100 to 300 \| 3\.0× \| 3\.0× \|/);
  const beside = measuredPart([resultOf(100), resultOf(100, { operator: "upstream", passes: undefined })], "plot.svg");
  assert.match(beside, /\| LLMKube, no node \| 100 \| 100, upstream \| aim \|/);
  assert.match(beside, /\| passes a service \| 9\.00 \| – \| at most 15 \|/);
  const marks = ["begin", "end"].map((mark) => `<!-- ${mark}: npm run bench -- control-plane --write-docs -->`);
  const page = replaceMeasured(`before\n\n${marks.join("\nold\n")}\n\nafter\n`, part);
  assert.ok(page.startsWith(`before\n\n${marks[0]}\n\n![`) && page.endsWith(`\n${marks[1]}\n\nafter\n`));
  assert.doesNotMatch(page, /old/);
  assert.equal(replaceMeasured(page, part), page);
  assert.throws(() => replaceMeasured("no marks", part), /add them/);
});
