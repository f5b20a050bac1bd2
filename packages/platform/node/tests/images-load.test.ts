import assert from "node:assert/strict";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Pod } from "@trivium/kube";
import { ownProgram } from "@trivium/testkit";
import { reached, startNode } from "./setup-node.ts";

const load = ownProgram("load", join(import.meta.dirname, "../../load/src/main.ts"));

test("a pod of genai-bench measures with our own program, and leaves its summary and its results", async (t) => {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const piece = { choices: [{ delta: { content: "word" }, finish_reason: "stop" }] };
    response.end(`data: ${JSON.stringify(piece)}\n\ndata: [DONE]\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  const folder = await realpath(await mkdtemp(join(tmpdir(), "trivium-bench-")));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const stage = await startNode(t, { programs: { load }, hostRoots: [{ path: folder }] });
  await stage.pod(
    "bench",
    {
      image: "ghcr.io/moirai-internal/genai-bench:0.1.113",
      command: ["genai-bench"],
      args: [
        ...["benchmark", "--api-backend", "openai", "--api-base", `http://127.0.0.1:${port}`, "--api-model-name", "m"],
        ...["--task", "text-to-text", "--max-time-per-run", "1", "--max-requests-per-run", "4"],
        ...["--traffic-scenario", "D(5,1)", "--num-concurrency", "2"],
        ...["--experiment-folder-name", "first", "--experiment-base-dir", "/results"],
      ],
      env: [{ name: "TRIVIUM_BENCH_SUMMARY", value: "/dev/termination-log" }],
      volumeMounts: [{ name: "out", mountPath: "/results" }],
    },
    { volumes: [{ name: "out", hostPath: { path: folder } }], restartPolicy: "Never", nodeName: "here" },
  );
  await reached(stage, ([bench]) => ["Succeeded", "Failed"].includes(bench?.status?.phase ?? ""));
  const { status } = await stage.client.get(Pod, { namespace: "default", name: "bench" });
  const end = status?.containerStatuses?.[0]?.state?.terminated;
  assert.equal(end?.exitCode, 0, JSON.stringify(status));
  const { requests, answered } = JSON.parse(end?.message ?? "");
  assert.deepEqual({ requests, answered }, { requests: 4, answered: 4 });
  assert.equal(JSON.parse(await readFile(join(folder, "first", "results.json"), "utf8")).runs.length, 1);
});
