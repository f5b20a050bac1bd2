import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { stringify } from "yaml";
import type { Facts } from "../src/facts/facts.ts";
import { formatFacts } from "../src/facts/file.ts";
import { modelReadingAnswer } from "../src/plan/assumed/index.ts";
import { plan } from "../src/plan/command.ts";
import { node } from "./plan/node.ts";

const folder = mkdtempSync(join(tmpdir(), "trivium-plan-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const demo = join(import.meta.dirname, "../../../examples/models/demo");
const read = await modelReadingAnswer({ environment: {}, localRoots: [{ path: demo }] }).answer(
  { uri: `file://${demo}/demo.gguf` },
  { signal: AbortSignal.timeout(60_000) },
);
const uri = "hf://org/tiny-GGUF";
const known = (value: unknown) => ({ is: "known" as const, value });
const facts: Facts = {
  now: Date.parse("2026-01-01T00:00:00Z"),
  objects: [node as never],
  answers: [
    { query: "repositoryFiles", args: { uri }, fact: known({ files: [{ path: "tiny.gguf", bytes: 2 ** 30 }] }) },
    { query: "modelReading", args: { uri }, fact: known(read) },
  ],
  unreadable: [],
  served: [],
};

const aim = {
  apiVersion: "aim.silogen.ai/v1alpha1",
  kind: "AIMService",
  metadata: { name: "chat", namespace: "default" },
  spec: {
    model: {
      custom: { modelSources: [{ modelId: "org/tiny", sourceUri: uri }], hardware: { cpu: { requests: "250m" } } },
    },
  },
};
const ome = [
  {
    apiVersion: "ome.io/v1beta1",
    kind: "ClusterBaseModel",
    metadata: { name: "tiny" },
    spec: { storage: { storageUri: uri } },
  },
  {
    apiVersion: "ome.io/v1beta1",
    kind: "ClusterServingRuntime",
    metadata: { name: "llama-cpp" },
    spec: {
      supportedModelFormats: [
        { modelFormat: { name: "gguf" }, modelFramework: { name: "llama.cpp" }, autoSelect: true, priority: 1 },
      ],
      protocolVersions: ["openAI"],
      engineConfig: { runner: { name: "ome-container", image: "ghcr.io/ggml-org/llama.cpp:server" } },
    },
  },
  {
    apiVersion: "ome.io/v1beta1",
    kind: "InferenceService",
    metadata: { name: "chat", namespace: "default" },
    spec: { model: { name: "tiny" }, engine: { minReplicas: 1, maxReplicas: 1 } },
  },
];

const write = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const start = write("start.yaml", formatFacts(facts));
const planned = (name: string, documents: readonly object[]) =>
  plan({
    filename: [write(name, documents.map((one) => stringify(one)).join("---\n"))],
    facts: start,
    output: "text",
  });

/** Names of some objects end in a hash of the uid of another object. */
const withoutHashes = (text: string): string => text.replaceAll(/-[0-9a-f]{8,10}(?=[\s:-])/g, "-HASH");

for (const [name, documents] of Object.entries({ aim: [aim], ome }))
  test(`the plan of ${name} follows the download to the pods that serve`, async () => {
    const { text, exitCode } = await planned(`${name}.yaml`, documents);
    assert.equal(exitCode, 2);
    const golden = join(import.meta.dirname, "plan", `${name}.txt`);
    if (process.env.UPDATE_CASES === "1") writeFileSync(golden, withoutHashes(text));
    assert.equal(withoutHashes(text), readFileSync(golden, "utf8"));
  });

test("a repository that is too large for every node is not downloaded, and no pod is planned", async () => {
  const large = "hf://org/large";
  const files = known({ files: [{ path: "model.safetensors", bytes: 2 ** 40 }] });
  const on = write(
    "large.facts.yaml",
    formatFacts({ ...facts, answers: [{ query: "repositoryFiles", args: { uri: large }, fact: files }] }),
  );
  const [, runtime, service] = ome;
  const model = { ...ome[0], spec: { storage: { storageUri: large } } };
  const manifests = write("large.yaml", [model, runtime, service].map((one) => stringify(one)).join("---\n"));
  const { text } = await plan({ filename: [manifests], facts: on, output: "text" });
  assert.match(text, /^missing {3}ClusterBaseModel tiny: .*1\.0Ti/m);
  assert.match(text, /^download {2}hf:\/\/org\/large {2}1\.0Ti$/m);
  assert.doesNotMatch(text, /Deployment/);
});

test("what an image reports only when it runs is named as unknown", async () => {
  const image = "registry.example/aim/foo:1";
  const place = { registry: "registry.example", repository: "aim/foo", reference: "1", platform: "linux/amd64" };
  const labels = {
    "com.amd.aim.model.recommendedDeployments": JSON.stringify([
      { gpuModel: "MI300X", gpuCount: 1, metric: "latency", precision: "fp8" },
    ]),
  };
  const args = { ...place, logins: { namespace: "default", secrets: [] } };
  const report = { is: "image", digest: `sha256:${"0".repeat(64)}`, platform: "linux/amd64", labels };
  const gpu = { "amd.com/gpu": "8" };
  const gpuNode = {
    ...node,
    metadata: {
      ...node.metadata,
      labels: { "amd.com/gpu.product-name": "AMD_Instinct_MI300X", "amd.com/gpu.device-id": "74a1" },
    },
    status: {
      ...node.status,
      capacity: { ...node.status.capacity, ...gpu },
      allocatable: { ...node.status.allocatable, ...gpu },
    },
  };
  const answers = [{ query: "imageConfig", args, fact: known(report) }];
  const on = write("image.facts.yaml", formatFacts({ ...facts, objects: [gpuNode as never], answers }));
  const manifests = write("image.yaml", stringify({ ...aim, spec: { model: { image } } }));
  const { text } = await plan({ filename: [manifests], facts: on, output: "text" });
  assert.match(text, /^\+ create {3}AIMServiceTemplate default\//m);
  assert.match(text, /^unknown {3}AIMServiceTemplate \S+: Job \S+ finds it out when it runs$/m);
});
