import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { startNginx } from "@trivium/testkit";
import { type Ended, runWeights } from "./real/run.ts";
import { type ByteFault, type ByteFaultPlan, ByteFaultProxy } from "./servers/fault-proxy.ts";
import { bytes, folder, mebibyte } from "./stage.ts";

const size = 6 * mebibyte;

async function stage(t: TestContext) {
  const [root, dir, content] = [await folder(t), await folder(t), bytes(size)];
  await writeFile(join(root, "model.bin"), content);
  const nginx = await startNginx({
    root,
    server: "location /whole/ { max_ranges 0; alias ROOT/; }".replace("ROOT", root),
  });
  if (nginx.is === "missing") return void t.skip(`skipped: ${nginx.why}`);
  t.after(() => nginx.stop());
  const proxy = await new ByteFaultProxy(nginx.port).listen();
  t.after(() => proxy.close());
  const sha256 = createHash("sha256").update(content).digest("hex");
  let count = 0;
  /** One fetch with its own folder, quick to give up. */
  const fetchModel = async (plan: ByteFaultPlan, more: readonly string[] = []): Promise<Ended & { file: string }> => {
    const to = join(dir, String(++count));
    proxy.plan = plan;
    proxy.requests = 0;
    proxy.passed = 0;
    const quick = ["--attempts", "2", "--stall-timeout", "5", "--sha256", sha256];
    const ended = await runWeights(["fetch", `${proxy.url}/model.bin`, "--to", to, ...quick, ...more]);
    return { ...ended, file: join(to, "model.bin") };
  };
  return { root, dir, content, nginx, proxy, sha256, fetchModel };
}

test("nginx with ranges and without gives the same file", async (t) => {
  const context = await stage(t);
  if (context === undefined) return;
  const { content, nginx, dir } = context;
  for (const path of ["model.bin", "whole/model.bin"]) {
    const to = join(dir, path);
    const ended = await runWeights(["fetch", `http://127.0.0.1:${nginx.port}/${path}`, "--to", to]);
    assert.equal(ended.code, 0, ended.err);
    assert.ok((await readFile(join(to, "model.bin"))).equals(content));
  }
});

/** Only where a stall is the fault: on a busy machine anything may take that long. */
const impatient = ["--stall-timeout", "0.5"];

const everyGet =
  (fault: ByteFault): ByteFaultPlan =>
  ({ method }) =>
    method === "GET" ? fault : undefined;

test("what goes wrong for ever has its own exit code and reason, and publishes nothing", async (t) => {
  const context = await stage(t);
  if (context === undefined) return;
  const status = (code: number): ByteFaultPlan =>
    everyGet({ is: "status", status: code, headers: { "retry-after": "0" } });
  let version = 0;
  const changing = (): ByteFault => ({ is: "headers", headers: (all) => ({ ...all, etag: `"v${++version}"` }) });
  const cases: [string, ByteFaultPlan, number, string][] = [
    ["401", status(401), 4, "TokenRejected"],
    ["403", status(403), 4, "AccessDenied"],
    ["404", status(404), 3, "NotFound"],
    ["418", status(418), 2, "Rejected"],
    ["429", status(429), 7, "Unreachable"],
    ["500", status(500), 7, "Unreachable"],
    ["503", status(503), 7, "Unreachable"],
    ["no such name at all", () => ({ is: "status", status: 404 }), 3, "NotFound"],
    ["reset", everyGet({ is: "reset", after: 1000 }), 7, "Unreachable"],
    ["truncated", everyGet({ is: "truncate", after: 1000 }), 7, "Unreachable"],
    ["stalled", everyGet({ is: "stall", after: 1000 }), 7, "Stalled"],
    ["dripping", everyGet({ is: "drip" }), 7, "Stalled"],
    ["a flipped bit", everyGet({ is: "flip", at: 77 }), 5, "DigestMismatch"],
    ["an ETag that never holds still", changing, 7, "UpstreamChanged"],
    [
      "a range of another length",
      everyGet({ is: "headers", headers: (all) => ({ ...all, "content-range": `bytes 0-9/${size + 1}` }) }),
      7,
      "UpstreamChanged",
    ],
    [
      "a range that does not say which",
      everyGet({ is: "headers", headers: (all) => ({ ...all, "content-range": "bytes x" }) }),
      7,
      "Unreachable",
    ],
  ];
  for (const [name, plan, code, reason] of cases) {
    const ended = await context.fetchModel(plan, reason === "Stalled" ? impatient : []);
    assert.deepEqual([ended.code, ended.last.reason], [code, reason], `${name}: ${ended.err}`);
    assert.equal(existsSync(ended.file), false, name);
  }
});

test("what goes wrong now and then is survived, with hardly a byte fetched twice", async (t) => {
  const context = await stage(t);
  if (context === undefined) return;
  const { content, proxy, fetchModel } = context;
  const sometimes =
    (fault: ByteFault): ByteFaultPlan =>
    ({ method }, count) =>
      method === "GET" && count % 3 === 2 ? fault : undefined;
  const cases: [string, ByteFault, number][] = [
    ["429", { is: "status", status: 429, headers: { "retry-after": "0" } }, 1.05],
    ["502", { is: "status", status: 502 }, 1.05],
    ["reset", { is: "reset", after: 200_000 }, 1.2],
    ["truncated", { is: "truncate", after: 200_000 }, 1.2],
    ["stalled", { is: "stall", after: 200_000 }, 1.2],
  ];
  for (const [name, fault, most] of cases) {
    const ended = await fetchModel(sometimes(fault), ["--attempts", "6", ...(name === "stalled" ? impatient : [])]);
    assert.equal(ended.code, 0, `${name}: ${ended.err}`);
    assert.ok((await readFile(ended.file)).equals(content), name);
    assert.ok(proxy.passed < size * most, `${name}: ${proxy.passed / size} of the size`);
  }
});

test("a file that is replaced while it is fetched is fetched anew, as a whole", async (t) => {
  const context = await stage(t);
  if (context === undefined) return;
  const { root, proxy, dir } = context;
  const fresh = bytes(size - 1000);
  const changed = new Promise<void>((resolve) => {
    proxy.plan = ({ method }, count) => {
      if (method === "GET" && count === 4) void writeFile(join(root, "model.bin"), fresh).then(resolve);
      return undefined;
    };
  });
  const ended = await runWeights(["fetch", `${proxy.url}/model.bin`, "--to", join(dir, "x"), "--limit-rate", "20M"]);
  await changed;
  assert.equal(ended.code, 0, ended.err);
  assert.ok((await readFile(join(dir, "x", "model.bin"))).equals(fresh));
});
