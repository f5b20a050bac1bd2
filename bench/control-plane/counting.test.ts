import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { AuditLog, auditPolicyFor, countWrites, isChild, isWrite, lastOf, parseAuditLine } from "./audit.ts";
import { replayable, replayOf } from "./bare-client.ts";
import { sumOfMetric } from "./metrics.ts";
import { parseBenchOptions } from "./options.ts";
import { medianOf, type RunFigures, rowsOf } from "./run-figures.ts";

const apply = "/apis/apps/v1/namespaces/bench/deployments/a?fieldManager=x&force=false";
const lineOf = (verb: string, resource: string, more: object = {}): string =>
  JSON.stringify({
    verb,
    requestURI: apply,
    objectRef: { resource, namespace: "bench", name: "a" },
    responseStatus: { code: 200 },
    stageTimestamp: "2026-01-01T00:00:01.500000Z",
    ...more,
  });
const callOf = (verb: string, resource: string, more?: object) => parseAuditLine(lineOf(verb, resource, more));

test("only writes of objects count: no reads, no Leases; a status and an Event are no child", () => {
  const status = callOf("patch", "models", { objectRef: { resource: "models", subresource: "status" } });
  const calls = [
    callOf("patch", "deployments"),
    callOf("patch", "deployments"),
    status,
    callOf("create", "events"),
    callOf("update", "leases"),
    callOf("watch", "pods"),
  ];
  assert.deepEqual(calls.map(isWrite), [true, true, true, true, false, false]);
  assert.deepEqual(calls.map(isChild), [true, true, false, false, false, false]);
  assert.deepEqual(countWrites(calls), [
    { what: "patch deployments", count: 2 },
    { what: "create events", count: 1 },
    { what: "patch models/status", count: 1 },
  ]);
  assert.equal(lastOf(calls), Date.parse("2026-01-01T00:00:01.5Z"));
  assert.equal(lastOf([]), 0);
});

test("an audit log is read as it grows, a line that is written in two pieces as one", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trivium-audit-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "audit.log");
  const [first, second] = [lineOf("create", "pods"), lineOf("patch", "pods", { note: "żółw" })];
  const bytes = Buffer.from(`${second}\n`);
  const middle = bytes.indexOf(Buffer.from("ż")) + 1;
  appendFileSync(path, `${first}\n`);
  const log = new AuditLog(path);
  assert.equal(log.refresh().length, 1);
  appendFileSync(path, bytes.subarray(0, middle));
  assert.equal(log.refresh().length, 1);
  appendFileSync(path, bytes.subarray(middle));
  assert.deepEqual(
    log.refresh().map(({ verb }) => verb),
    ["create", "patch"],
  );
});

test("the policy records writes of the operator with their bodies, and nothing of others", () => {
  const { rules } = JSON.parse(auditPolicyFor("op")) as { rules: { level: string; users?: string[] }[] };
  assert.deepEqual(
    rules.map(({ level, users }) => [level, users]),
    [
      ["Request", ["op"]],
      ["Metadata", ["op"]],
      ["None", undefined],
    ],
  );
});

test("the bare client makes successful writes in its own namespace, with owners that exist there", () => {
  const requestObject = {
    metadata: { namespace: "bench", uid: "child", ownerReferences: [{ uid: "old" }], resourceVersion: "7" },
  };
  const calls = [
    callOf("patch", "deployments", { requestObject }),
    callOf("patch", "deployments", { responseStatus: { code: 409 } }),
    callOf("get", "deployments"),
  ];
  const uids = new Map([["old", "new"]]);
  assert.deepEqual(
    replayable(calls).map((call) => replayOf(call, uids)),
    [
      {
        method: "PATCH",
        path: apply.replace("bench", "bare"),
        type: "application/apply-patch+yaml",
        body: JSON.stringify({ metadata: { namespace: "bare", ownerReferences: [{ uid: "new" }] } }),
        isChild: true,
      },
    ],
  );
});

test("a counter is summed over its labels, and one that is not served is unknown", () => {
  const text = '# HELP passes x\npasses{a="1"} 3\npasses{a="2"} 4\npasses_total{a="1"} 9\n';
  assert.equal(sumOfMetric(text, "passes"), 7);
  assert.equal(sumOfMetric(text, "writes"), undefined);
});

test("options have defaults, and what is wrong is named", () => {
  assert.deepEqual(parseBenchOptions([]).services, [100]);
  assert.deepEqual(parseBenchOptions(["--services=300,1000", "--dialects=aim"]).services, [300, 1000]);
  const { operator, operatorName } = parseBenchOptions(["--operator=manager --flag", "--operator-name=Other 1.0"]);
  assert.deepEqual([operator, operatorName], ["manager --flag", "Other 1.0"]);
  assert.deepEqual(parseBenchOptions(["--without=bare,edit"]).without, ["bare", "edit"]);
  assert.throws(
    () => parseBenchOptions(["--without=rest"]),
    /--without=rest is unknown; available: single, edit, bare/,
  );
  assert.throws(() => parseBenchOptions(["--services=0"]), /--services=0 is not a whole number/);
  assert.throws(() => parseBenchOptions(["--dialects=kserve"]), /--dialects=kserve is unknown; available: llmkube/);
});

test("the table shows figures a service, the bare client beside them, and a dash for what an operator does not report", () => {
  const figures: RunFigures = {
    dialect: "aim",
    services: 2,
    nodes: "none",
    ready: { count: 0, took: 0 },
    firstPass: undefined,
    peakMemory: 100e6,
    lastChild: 3_000,
    lastWrite: 4_000,
    writes: countWrites([callOf("patch", "deployments"), callOf("create", "events")]),
    failedWrites: 1,
    passes: undefined,
    unchanged: undefined,
    operatorTime: 1_000,
    serverTime: 2_000,
    rest: { seconds: 60, writes: 1, written: [{ what: "patch pods", count: 1 }], calls: 5, time: 50 },
    single: [100, 300, 200],
    edit: { dependants: 7, followed: 7, writes: 0, took: 500 },
    bare: { lastChild: 2_000, whole: 2_000, failed: 0 },
  };
  const cells = new Map(rowsOf(figures).map(([name = "", ...rest]) => [name, rest]));
  assert.deepEqual(cells.get("last child"), ["3.00 s", "2.00 s", "1.50×"]);
  assert.deepEqual(cells.get("last write"), ["4.00 s", "2.00 s", "2.00×"]);
  assert.equal(cells.get("… patch deployments")?.[0], "0.50");
  assert.equal(cells.get("writes a service without Events")?.[0], "0.50");
  assert.equal(cells.get("writes that failed")?.[0], "1");
  assert.equal(cells.get("passes a service")?.[0], "–");
  assert.equal(cells.get("… at rest: patch pods")?.[0], "1");
  assert.equal(cells.get("one service on an idle system, median (worst)")?.[0], "0.20 s (0.30 s)");
  const { bare: _, edit: __, ...short } = figures;
  const left = new Map(rowsOf({ ...short, single: [] }).map(([name = "", ...rest]) => [name, rest]));
  assert.deepEqual(left.get("last child"), ["3.00 s", "–", "–"]);
  assert.equal(left.get("one service on an idle system, median (worst)")?.[0], "–");
  assert.equal(medianOf([1, 3]), 2);
});
