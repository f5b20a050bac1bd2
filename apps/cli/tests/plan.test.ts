import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { dialects } from "@trivium/local";
import { modelSourceAnswers } from "@trivium/probes";
import { stringify } from "yaml";
import { readDocuments } from "../src/facts/documents.ts";
import type { Facts } from "../src/facts/facts.ts";
import { formatFacts, readFacts } from "../src/facts/file.ts";
import { plan, savedAnswers } from "../src/plan/command.ts";
import { simulate } from "../src/plan/simulate.ts";
import { node } from "./plan/node.ts";
import { trivium } from "./running.ts";

const folder = mkdtempSync(join(tmpdir(), "trivium-plan-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, ...documents: readonly (object | string)[]): string => {
  const path = join(folder, name);
  writeFileSync(path, documents.map((one) => (typeof one === "string" ? one : stringify(one))).join("---\n"));
  return path;
};

const uri = "hf://org/tiny-GGUF/tiny.gguf";
const known = (value: unknown) => ({ is: "known" as const, value });
const demo = join(import.meta.dirname, "../../../examples/models/demo");
const sources = { environment: {}, addresses: "any", localRoots: [{ path: demo }], now: () => 0 } as const;
const headers = modelSourceAnswers(sources).find(({ query }) => query.name === "modelHeader");
const signal = AbortSignal.timeout(60_000);
const header = known(await headers?.answer({ uri: `file://${demo}/demo.gguf` }, { signal }));
const facts: Facts = {
  now: Date.parse("2026-01-01T00:00:00Z"),
  objects: [node as never],
  answers: [
    { query: "sourceHead", args: { url: uri }, fact: known({ version: "1", length: 2 ** 30, at: 0 }) },
    { query: "modelHeader", args: { uri, version: "1" }, fact: header },
    { query: "repositoryFiles", args: { uri }, fact: known({ files: [{ path: "tiny.gguf", bytes: 2 ** 30 }] }) },
  ],
  unreadable: [],
  served: [],
};
const model = {
  apiVersion: "inference.llmkube.dev/v1alpha1",
  kind: "Model",
  metadata: { name: "tiny" },
  spec: { source: uri, format: "gguf" },
};
const service = {
  apiVersion: "inference.llmkube.dev/v1alpha1",
  kind: "InferenceService",
  metadata: { name: "chat" },
  spec: {
    modelRef: "tiny",
    contextSize: 2048,
    env: [{ name: "HF_TOKEN", value: "hf_plantedplanted01" }],
    autoscaling: {
      minReplicas: 1,
      maxReplicas: 3,
      metrics: [{ type: "Resource", name: "cpu", targetAverageUtilization: 80 }],
    },
  },
};

const planned = (manifests: string, on: string, output: "text" | "json" = "text") =>
  plan({ filename: [manifests], facts: on, output });

/** The state of the API after manifests were applied, as facts. */
async function applied(manifests: string, on: string): Promise<string> {
  const before = readFacts(on, 0);
  const answers = savedAnswers(before);
  const input = { facts: before, manifests: readDocuments(manifests), namespace: "default", dialects, answers };
  const { after, close } = await simulate(input);
  await close();
  return file("applied.yaml", formatFacts({ ...before, objects: after.map(({ object }) => object) }));
}

const podLabelsOf = ({ objects }: Facts): unknown =>
  (objects.find(({ kind }) => kind === "Deployment") as { spec?: { template?: { metadata?: { labels?: unknown } } } })
    ?.spec?.template?.metadata?.labels;

describe("plan", () => {
  const start = file("start.yaml", formatFacts(facts));
  const manifests = file("chat.yaml", model, service);

  test("what is new is listed with its image, its download and the claims it needs, and the exit code is 2", async () => {
    const { text, exitCode } = await planned(manifests, start);
    assert.equal(exitCode, 2);
    assert.equal(text, readFileSync(join(import.meta.dirname, "plan/create.txt"), "utf8"));
  });

  test("once applied there is nothing to do; a change names its fields, what restarts and what is deleted", async () => {
    const after = await applied(manifests, start);
    const same = await planned(manifests, after);
    assert.deepEqual(same, { text: "nothing to do\n", exitCode: 0 });

    const { autoscaling: _, ...spec } = service.spec;
    const changed = file("changed.yaml", model, {
      ...service,
      spec: { ...spec, contextSize: 4096, env: [{ name: "HF_TOKEN", value: "hf_plantedplanted02" }] },
    });
    const { text, exitCode } = await planned(changed, after);
    assert.equal(exitCode, 2);
    assert.doesNotMatch(text, /hf_planted/);
    assert.match(text, /~ change {3}InferenceService default\/chat\n.*spec\.contextSize: 2048 -> 4096\n/s);
    assert.match(text, /~ change {3}Deployment default\/chat +restarts 1 pod\n/);
    assert.match(text, /args\[\d+\]: "2048" -> "4096"\n/);
    assert.match(text, /- delete {3}HorizontalPodAutoscaler default\/chat\n/);
    assert.match(text, /\n0 to create, 2 to change, 1 to delete, 1 pod to restart\n$/);
    const json = JSON.parse((await planned(changed, after, "json")).text) as { changes: { action: string }[] };
    assert.deepEqual(json.changes.map(({ action }) => action).sort(), ["change", "change", "delete"]);
  });

  test("what only a running server knows is not asked: facts plan as the cluster itself does", async () => {
    const after = await applied(manifests, start);
    const before = readFacts(after, 0);
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "chat-1", namespace: "default", uid: "chat-1", labels: podLabelsOf(before) },
      spec: { nodeName: "n1", containers: [{ name: "llama-server", image: "ghcr.io/ggml-org/llama.cpp:server" }] },
      status: {
        phase: "Running",
        podIP: "127.0.0.1",
        conditions: [{ type: "Ready", status: "True" }],
        containerStatuses: [{ name: "llama-server", ready: true, restartCount: 0, state: { running: {} } }],
      },
    };
    const running = file("running.yaml", formatFacts({ ...before, objects: [...before.objects, pod as never] }));
    const changed = file("longer.yaml", model, { ...service, spec: { ...service.spec, contextSize: 4096 } });
    const { text } = await planned(changed, running);
    assert.match(text, /~ change {3}Deployment default\/chat +restarts 1 pod\n/);
    assert.doesNotMatch(text, /127\.0\.0\.1/);
  });

  test("another model of a service is downloaded, and its pods are replaced", async () => {
    const after = await applied(manifests, start);
    const other = { ...model, spec: { ...model.spec, source: "hf://org/other-GGUF/other.gguf" } };
    const { text } = await planned(file("other.yaml", other), after);
    assert.match(text, /~ change {3}Model default\/tiny\n/);
    assert.match(text, /download {2}hf:\/\/org\/other-GGUF\/other\.gguf {2}size unknown: not among the saved facts/);
  });

  test("what is missing is named with what to do", async () => {
    const { text } = await planned(file("alone.yaml", service), start);
    assert.match(text, /^missing {3}InferenceService chat: Model tiny not found in this namespace; create it/m);
  });

  test("a GPU and memory that pods need and the cluster lacks are missing", async () => {
    const { autoscaling: _, ...spec } = service.spec;
    const missingOf = async (name: string, more: object) => {
      const { text } = await planned(file(name, model, { ...service, spec: { ...spec, ...more } }), start);
      return text.match(/^missing .*$/gm)?.join("\n") ?? "";
    };
    assert.equal(await missingOf("plain.yaml", {}), "");
    assert.match(await missingOf("gpu.yaml", { resources: { gpu: 1 } }), /InferenceService chat: .*gpu/i);
    assert.match(await missingOf("memory.yaml", { resources: { memory: "64Gi" } }), /InferenceService chat: .*memory/i);
  });

  test("every refused object is reported with its file and document", async () => {
    const path = file("faults.yaml", { ...model, spec: {} }, model, {
      ...service,
      spec: { modelRef: "tiny", nope: 1 },
    });
    await assert.rejects(planned(path, start), (error: Error) => {
      const [first, one, two, ...more] = error.message.split("\n");
      assert.equal(first, "2 faults in the manifests");
      assert.match(one ?? "", /^ {2}.*faults\.yaml: document 1: Model tiny: .*spec\.source/);
      assert.match(two ?? "", /^ {2}.*faults\.yaml: document 3: InferenceService chat: .*spec\.nope/);
      assert.deepEqual(more, []);
      return true;
    });
  });

  test("manifests that would be refused are errors", async () => {
    const refused = async (expected: RegExp, ...documents: object[]) =>
      assert.rejects(planned(file("refused.yaml", ...documents), start), expected);
    await refused(/Model tiny: .*spec\.source/s, { ...model, spec: {} });
    await refused(/InferenceService chat: .*spec\.contxtSize: field not declared in schema/s, {
      ...service,
      spec: { modelRef: "tiny", contxtSize: 1 },
    });
    await refused(/example\.com\/v1 Thing is unknown/, { apiVersion: "example.com/v1", kind: "Thing", metadata: {} });
    await refused(/refused\.yaml: document 1: Model has no metadata\.name; add it/, { ...model, metadata: {} });
    await refused(/not a Kubernetes object/, { just: "words" });
    await assert.rejects(planned(file("empty.yaml", ""), start), /has no objects/);
    await assert.rejects(planned(manifests, file("broken.yaml", "a: [")), /is not valid YAML/);
    await assert.rejects(planned(manifests, file("twice.yaml", node, node)), /Node n1 is in the facts twice/);
  });

  test("the exit code of the command tells the three outcomes apart", async () => {
    const ended = async (...words: string[]) => {
      const run = trivium(["plan", ...words]);
      return { code: await run.ended, errors: run.errors() };
    };
    assert.equal((await ended("-f", manifests, "--facts", start)).code, 2);
    assert.equal((await ended("-f", manifests, "--facts", await applied(manifests, start))).code, 0);
    const failed = await ended("-f", join(folder, "none.yaml"), "--facts", start);
    assert.equal(failed.code, 1);
    assert.match(failed.errors, /^error: .*none\.yaml/);
  });
});
