import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { Pod } from "@trivium/kube";
import { ownProgram } from "@trivium/testkit";
import { isReady, reached, startNode, urlOf } from "./setup-node.ts";

const root = join(import.meta.dirname, "../../../..");
const engine = ownProgram("engine", join(root, "packages/platform/engine/src/main.ts"));
const demo = join(root, "examples/models/demo");

test("images of llama.cpp and of vLLM both answer, with the flags that their users know, side by side", async (t) => {
  const stage = await startNode(t, {
    programs: { engine },
    hostRoots: [{ path: "/mnt/models", realPath: demo }],
    searchPath: "/usr/bin:/bin",
  });
  const volumes = [{ name: "m", hostPath: { path: "/mnt/models" } }];
  const serve = (name: string, image: string, port: number, args: string[]) =>
    stage.pod(
      name,
      {
        image,
        args,
        ports: [{ containerPort: port }],
        readinessProbe: { httpGet: { path: "/health", port }, periodSeconds: 1 },
        volumeMounts: [{ name: "m", mountPath: "/models", readOnly: true }],
      },
      { volumes },
    );
  await serve("llama", "ghcr.io/ggml-org/llama.cpp:server", 18080, [
    "-m",
    "/models/demo.gguf",
    "--host",
    "0.0.0.0",
    "--port",
    "18080",
    "--alias",
    "demo",
  ]);
  await serve("vllm", "vllm/vllm-openai:v0.9", 8000, [
    "--model",
    "/models",
    "--served-model-name",
    "demo",
    "--max-model-len",
    "512",
    "--dtype",
    "half",
  ]);
  await reached(stage, (pods) => pods.length === 2 && pods.every(isReady));
  const { items } = await stage.client.list(Pod, { namespace: "default" });
  for (const pod of items) {
    const url = urlOf(pod, pod.metadata.name === "llama" ? 18080 : 8000);
    const body = JSON.stringify({ model: "demo", max_tokens: 8, messages: [{ role: "user", content: "Hello" }] });
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const answer = (await response.json()) as { choices: { message: { content: string } }[] };
    assert.deepEqual([response.status, answer.choices.length], [200, 1]);
    assert.notEqual(answer.choices[0]?.message.content, "");
  }
  assert.deepEqual(stage.failures, []);
});
