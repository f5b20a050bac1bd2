import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { builtInResources, createApi, openMemoryStore } from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import { isBusy, isServed, logTail, servedModels } from "@trivium/domain";
import { type KubeClient, Pod } from "@trivium/kube";
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
  await assert.rejects(list(`{"data":"${"x".repeat(2 << 20)}"}`)(t), /larger than/);
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

/** A real API server with one pod, which prints this. */
async function clientOfPod(t: TestContext, print: () => AsyncIterable<string>): Promise<KubeClient> {
  const server = createApi({ store: openMemoryStore(), resources: builtInResources(), podLogs: print });
  t.after(() => server.close());
  await server.ready;
  const client = createClient(server.transport({ user: "test", groups: ["system:masters"] }));
  const metadata = { name: place.pod, namespace: place.namespace };
  const spec = { nodeName: "n", containers: [{ name: place.container, image: "x" }] };
  await client.create(Pod, { apiVersion: "v1", kind: "Pod", metadata, spec });
  return client;
}

test("logs are read through the API, line by line; a pod that is gone has none", async (t) => {
  const reported = (pieces: readonly string[]) =>
    clientOfPod(t, async function* () {
      yield* pieces;
    });
  const lines = await reported(['{"bytes":1}\n{"byt', 'es":2}\n', "no end"]);
  assert.equal(await ask(podLogAnswers(lines), logTail, place), '{"bytes":1}\n{"bytes":2}\nno end\n');
  const much = await reported([...Array.from({ length: 160 }, () => `${"x".repeat(1 << 16)}\n`), "the end\n"]);
  const end = (await ask(podLogAnswers(much), logTail, place)) ?? "";
  assert.ok(end.length === 1 << 20 && end.endsWith("\nthe end\n"), "of ten megabytes the last one counts");
  let pieces = 0;
  const endless = await clientOfPod(t, async function* () {
    for (;;) {
      pieces += 1;
      yield `${"x".repeat(1 << 20)}\n`;
    }
  });
  await ask(podLogAnswers(endless), logTail, place);
  assert.ok(pieces >= 64 && pieces < 80, `what has no end is cut, after ${pieces} MB`);
  assert.equal(await ask(podLogAnswers(lines), logTail, { ...place, pod: "gone" }), undefined);
});

test("what the API serves is read from its discovery", async () => {
  const client = { discover: async () => [{ group: "a.example", kind: "Rose" }] } as unknown as KubeClient;
  assert.equal(await ask(servedKindAnswers(client), isServed, { group: "a.example", kind: "Rose" }), true);
  assert.equal(await ask(servedKindAnswers(client), isServed, { group: "b.example", kind: "Rose" }), false);
});
