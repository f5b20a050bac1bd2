import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { isBusy, isServed, logTail, servedModels } from "@trivium/domain";
import { ApiError, type KubeClient } from "@trivium/kube";
import { modelServerAnswers, podLogAnswers, servedKindAnswers } from "../src/index.ts";
import { ask } from "./ask.ts";

async function serve(t: TestContext, pages: Readonly<Record<string, string>>): Promise<string> {
  const server = createServer((request, response) => {
    const page = pages[request.url ?? ""];
    response.writeHead(page === undefined ? 404 : page === "fail" ? 503 : 200).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const list = (page: string) => async (t: TestContext) =>
  ask(modelServerAnswers(), servedModels, { url: await serve(t, { "/v1/models": page }) });

test("a server lists its models, or none, or nonsense", async (t) => {
  assert.deepEqual(await list('{"data":[{"id":"a"},{"id":"b"},{"name":"no id"},3]}')(t), ["a", "b"]);
  assert.deepEqual(await list('{"data":[]}')(t), []);
  assert.deepEqual(await list("<html>")(t), []);
  assert.equal(await ask(modelServerAnswers(), servedModels, { url: await serve(t, {}) }), undefined);
  await assert.rejects(list("fail")(t), /503/);
  await assert.rejects(list(`{"data":"${"x".repeat(2 << 20)}"}`)(t), /more than/);
});

const busy = (engine: string, pages: Readonly<Record<string, string>>) => async (t: TestContext) =>
  ask(modelServerAnswers(), isBusy, { url: await serve(t, pages), engine });

test("engines tell in their own ways whether they work, and silence is no idleness", async (t) => {
  assert.equal(await busy("llamacpp", { "/slots": '[{"is_processing":false},{"is_processing":true}]' })(t), true);
  assert.equal(await busy("llamacpp", { "/slots": '[{"is_processing":false}]' })(t), false);
  assert.equal(await busy("llamacpp", {})(t), undefined);
  const metrics = (line: string) => ({ "/metrics": `# HELP x y\n${line}\n` });
  assert.equal(await busy("vllm", metrics('vllm:num_requests_running{model="m"} 2.0'))(t), true);
  assert.equal(await busy("vllm", metrics('vllm:num_requests_running{model="m"} 0.0'))(t), false);
  assert.equal(await busy("tgi", metrics("tgi_batch_current_size 1"))(t), true);
  assert.equal(await busy("sglang", metrics("sglang:num_running_reqs 0"))(t), false);
  assert.equal(await busy("vllm", metrics("something_else 1"))(t), undefined);
  assert.equal(await busy("generic", metrics("x 1"))(t), undefined);
});

const place = { namespace: "default", pod: "p", container: "c", restarts: 0, lines: 5 };

test("logs are read through the API; a pod that is gone has none", async () => {
  const said = (pieces: readonly string[]): KubeClient =>
    ({
      async *log() {
        yield* pieces;
      },
    }) as unknown as KubeClient;
  assert.equal(await ask(podLogAnswers(said(["a\n", "b\n"])), logTail, place), "a\nb\n");
  const much = [...Array.from({ length: 160 }, () => "x".repeat(1 << 16)), "the end"];
  const end = (await ask(podLogAnswers(said(much)), logTail, place)) ?? "";
  assert.ok(end.length === 1 << 20 && end.endsWith("the end"), "of ten megabytes the last one counts");
  let pieces = 0;
  const endless = {
    async *log() {
      for (;;) {
        pieces += 1;
        yield "x".repeat(1 << 20);
      }
    },
  } as unknown as KubeClient;
  await ask(podLogAnswers(endless), logTail, place);
  assert.equal(pieces, 65, "what has no end is cut");
  const gone = {
    // biome-ignore lint/correctness/useYield: it fails before it says anything
    async *log() {
      throw new ApiError({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        code: 404,
        reason: "NotFound",
      });
    },
  } as unknown as KubeClient;
  assert.equal(await ask(podLogAnswers(gone), logTail, place), undefined);
});

test("what the API serves is read from its discovery", async () => {
  const client = { discover: async () => [{ group: "a.example", kind: "Rose" }] } as unknown as KubeClient;
  assert.equal(await ask(servedKindAnswers(client), isServed, { group: "a.example", kind: "Rose" }), true);
  assert.equal(await ask(servedKindAnswers(client), isServed, { group: "b.example", kind: "Rose" }), false);
});
