import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { modelHeader } from "@trivium/domain";
import { modelSourceAnswers } from "@trivium/probes";
import { stringify } from "yaml";
import type { Facts } from "../src/facts/facts.ts";
import { formatFacts } from "../src/facts/file.ts";
import { modelReadingAnswer } from "../src/plan/assumed/index.ts";
import { plan } from "../src/plan/command.ts";
import type { PlanSummary } from "../src/plan/summary.ts";
import { node } from "./plan/node.ts";

const folder = mkdtempSync(join(tmpdir(), "trivium-plan-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const demo = join(import.meta.dirname, "../../../examples/models/demo");
const read = await modelReadingAnswer({ environment: {}, localRoots: [{ path: demo }] }).answer(
  { uri: `file://${demo}/demo.gguf` },
  { signal: AbortSignal.timeout(60_000) },
);
const header = await modelSourceAnswers({
  environment: {},
  addresses: "any",
  localRoots: [{ path: demo }],
  now: Date.now,
})
  .find(({ query }) => query.name === modelHeader.name)
  ?.answer({ uri: `file://${demo}/demo.gguf` }, { signal: AbortSignal.timeout(60_000) });
const uri = "hf://org/tiny-GGUF";
const known = (value: unknown) => ({ is: "known" as const, value });
const facts: Facts = {
  now: Date.parse("2026-01-01T00:00:00Z"),
  objects: [node as never],
  answers: [
    { query: "repositoryFiles", args: { uri }, fact: known({ files: [{ path: "tiny.gguf", bytes: 2 ** 30 }] }) },
    { query: "modelReading", args: { uri }, fact: known(read) },
    { query: "modelHeader", args: { uri: `${uri}/tiny.gguf` }, fact: known(header) },
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

/** A node without a container engine, as `trivium up` registers it. */
const laptop = {
  ...node,
  metadata: {
    ...node.metadata,
    annotations: { "trivium.dev/local-images": '["*vllm*","*llama.cpp*","*trivium-weights*","busybox","*/busybox"]' },
  },
};

const withImage = (image: string): Readonly<Record<string, readonly object[]>> => {
  const [model, runtime, service] = ome;
  const runner = { name: "ome-container", image };
  const custom = { ...aim.spec.model.custom, baseImage: image };
  return {
    aim: [{ ...aim, spec: { model: { custom } } }],
    ome: [model ?? {}, { ...runtime, spec: { ...runtime?.spec, engineConfig: { runner } } }, service ?? {}],
    llmkube: [
      {
        apiVersion: "inference.llmkube.dev/v1alpha1",
        kind: "Model",
        metadata: { name: "tiny", namespace: "default" },
        spec: { source: uri },
      },
      {
        apiVersion: "inference.llmkube.dev/v1alpha1",
        kind: "InferenceService",
        metadata: { name: "chat", namespace: "default" },
        spec: { modelRef: "tiny", image },
      },
    ],
  };
};

for (const name of ["aim", "ome", "llmkube"])
  test(`the plan of ${name} knows which images this machine can run`, async () => {
    const on = write("laptop.facts.yaml", formatFacts({ ...facts, objects: [laptop as never] }));
    const planOf = async (image: string) => {
      const documents = withImage(image)[name] ?? [];
      const filename = [write(`${name}-image.yaml`, documents.map((one) => stringify(one)).join("---\n"))];
      return (await plan({ filename, facts: on, output: "text" })).text;
    };
    const service = name === "aim" ? "AIMService" : "InferenceService";
    const why = 'image "example.com/nope:1" cannot run as a local process: no rule maps it to a local program';
    assert.match(await planOf("example.com/nope:1"), new RegExp(`^missing {3}${service} chat: .*${why}`, "m"));
    assert.doesNotMatch(await planOf("ghcr.io/ggml-org/llama.cpp:server"), /^(missing|unknown)/m);
  });

test("the memory of one model is the same through each API", async () => {
  const file = `${uri}/tiny.gguf`;
  const bytes = statSync(join(demo, "demo.gguf")).size;
  const listing = known({ files: [{ path: "tiny.gguf", bytes }] });
  const answers = [
    ...[uri, file].map((one) => ({ query: "repositoryFiles", args: { uri: one }, fact: listing })),
    ...facts.answers.filter(({ query }) => query !== "repositoryFiles"),
    // AIM asks for the header once more at each attempt to download.
    ...["0", "1"].map((version) => ({
      query: "modelHeader",
      args: { uri: file, version },
      fact: known(header),
    })),
  ];
  const on = write("fit.facts.yaml", formatFacts({ ...facts, answers }));
  const fits = await Promise.all(
    Object.entries(withImage("ghcr.io/ggml-org/llama.cpp:server")).map(async ([name, documents]) => {
      const text = documents.map((one) => stringify(one)).join("---\n");
      const filename = [write(`${name}-fit.yaml`, name === "aim" ? text.replaceAll(uri, file) : text)];
      const { services } = JSON.parse((await plan({ filename, facts: on, output: "json" })).text) as PlanSummary;
      return services.map(({ fit }) => fit);
    }),
  );
  const [[first] = []] = fits;
  assert.equal(first?.shares.length, 1);
  assert.deepEqual(fits, [[first], [first], [first]]);
});

test("a file outside the allowed folders is refused in the words of a service", async () => {
  const allowed = modelReadingAnswer({ environment: {}, localRoots: [{ path: demo }] });
  const found = await allowed.answer({ uri: "file:///nowhere/x.gguf" }, { signal: AbortSignal.timeout(60_000) });
  const why = `/nowhere/x.gguf is not in an allowed directory for file:// sources (allowed: ${demo}); move it, or allow its directory (--allowed-host-path-roots of the operator, folders in trivium.yaml)`;
  assert.deepEqual(found, { refused: "not-found", why });
});
