import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ArtifactReading, ArtifactReport } from "@trivium/domain";
import type { api, Node } from "@trivium/kube";
import fc from "fast-check";
import type { BaseModel } from "../kinds/base-model.ts";
import type { FineTunedWeight } from "../kinds/fine-tuned-weight.ts";
import { describeFiles } from "../model/discovery/describe-files.ts";
import { parseNodeEntry } from "../model/weights/node-entry.ts";
import { sourceHashOf } from "../names.ts";
import { defaultOptions } from "../options.ts";
import { isEligible } from "./eligible.ts";
import { modelStoreOf } from "./index.ts";

const node: Node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n1", labels: { zone: "a", gpus: "8", odd: "x" } },
};
type Requirement = api.NodeSelectorRequirement;
const required = (...terms: api.NodeSelectorTerm[]): api.NodeAffinity => ({
  requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms },
});
const one = (key: string, operator: string, values?: string[]): Requirement =>
  ({ key, operator, ...(values === undefined ? {} : { values }) }) as Requirement;

describe("which nodes hold a model (A9)", () => {
  const by = (...matchExpressions: Requirement[]) => isEligible({ nodeAffinity: required({ matchExpressions }) }, node);
  test("labels of the selector", () => {
    assert.ok(isEligible({}, node));
    assert.ok(isEligible({ nodeSelector: { zone: "a" } }, node));
    assert.ok(!isEligible({ nodeSelector: { zone: "b" } }, node));
    assert.ok(!isEligible({ nodeSelector: { none: "" } }, node));
  });
  test("operators, as Kubernetes means them", () => {
    assert.ok(by(one("zone", "In", ["a", "b"])));
    assert.ok(!by(one("none", "In", ["a"])));
    assert.ok(by(one("zone", "NotIn", ["b"])));
    assert.ok(by(one("none", "NotIn", ["b"])), "a label that is not there is none of them");
    assert.ok(by(one("zone", "Exists")) && !by(one("none", "Exists")));
    assert.ok(by(one("none", "DoesNotExist")) && !by(one("zone", "DoesNotExist")));
    assert.ok(by(one("gpus", "Gt", ["4"])) && !by(one("gpus", "Gt", ["8"])));
    assert.ok(by(one("gpus", "Lt", ["9"])) && !by(one("odd", "Lt", ["9"])));
    assert.ok(!by(one("zone", "Sometimes", ["a"])));
  });
  test("all expressions of a term, any of the terms, and the selector too", () => {
    assert.ok(!by(one("zone", "Exists"), one("none", "Exists")));
    const [good, bad] = [one("zone", "Exists"), one("none", "Exists")];
    const either = required({ matchExpressions: [bad] }, { matchExpressions: [good] });
    assert.ok(isEligible({ nodeAffinity: either }, node));
    assert.ok(!isEligible({ nodeAffinity: either, nodeSelector: { zone: "b" } }, node));
    assert.ok(!isEligible({ nodeAffinity: required() }, node));
    assert.ok(!isEligible({ nodeAffinity: required({}) }, node));
    const preferred = { preferredDuringSchedulingIgnoredDuringExecution: [] };
    assert.ok(isEligible({ nodeAffinity: preferred }, node));
  });
  test("the node by its name", () => {
    const named = (name: string) => required({ matchFields: [one("metadata.name", "In", [name])] });
    assert.ok(isEligible({ nodeAffinity: named("n1") }, node) && !isEligible({ nodeAffinity: named("n2") }, node));
  });
});

const modelStore = modelStoreOf(defaultOptions);
const model = (storage: BaseModel["spec"]["storage"], more: Partial<BaseModel["metadata"]> = {}): BaseModel => ({
  apiVersion: "ome.io/v1beta1",
  kind: "ClusterBaseModel",
  metadata: { name: "m", ...more },
  spec: { storage },
});
const artifact = (object: BaseModel) => {
  const request = modelStore.requestsOf(object, node);
  assert.ok(request.is !== "none");
  return request.artifact;
};

describe("what a node is asked to hold", () => {
  test("per scheme (A10, A26)", () => {
    const source = (storageUri: string) => artifact(model({ storageUri, path: "/mnt/data/models/m" })).source;
    assert.deepEqual(source("hf://org/repo@v1"), { is: "fetched", uri: "hf://org/repo@v1" });
    assert.deepEqual(source("s3://bucket@eu/a"), { is: "fetched", uri: "s3://bucket/a" });
    assert.deepEqual(source("oci://n/ns/b/bucket/o/a").is, "fetched");
    assert.deepEqual(source("oci://reg.example/a/b:v1"), { is: "fetched", uri: "oci://reg.example/a/b:v1" });
    assert.deepEqual(source("vendor://a/b/c"), { is: "elsewhere" });
    assert.deepEqual(source("local:///mnt/m"), { is: "present" });
    for (const uri of ["gs://b/o", "az://a/c/p", "github://a/b", "ftp://x", "hf://"])
      assert.equal(source(uri).is, "refused", uri);
    for (const uri of ["pvc://claim/m", "pvc://ns:claim/m"])
      assert.deepEqual(
        modelStore.requestsOf(model({ storageUri: uri }, uri.includes(":claim") ? {} : { namespace: "ns" }), node),
        {
          is: "none",
        },
      );
  });
  test("path, region, secret, reading, and what becomes of the files", () => {
    const plain = artifact(model({ storageUri: "hf://org/repo" }));
    assert.equal(plain.path, "/mnt/data/models/models/m");
    assert.deepEqual([plain.reading, plain.afterwards, plain.secret], ["headers", "remove", undefined]);
    const storage = { storageUri: "hf://org/repo", key: "hub", parameters: { token: "hf_plain", secretKey: "word" } };
    const kept = artifact(
      model(storage, {
        namespace: "team",
        labels: { "models.ome/reserve-model-artifact": "true" },
        annotations: { "ome.oracle.com/skip-config-parsing": "true" },
      }),
    );
    const entries = [{ key: "word", variable: "HF_TOKEN", need: "must" }];
    assert.deepEqual(kept.secret, { namespace: "team", name: "hub", entries });
    assert.deepEqual([kept.reading, kept.afterwards], ["nothing", "keep"]);
    assert.ok(!JSON.stringify(kept).includes("hf_plain"), "a token in plain parameters goes nowhere");
    assert.equal(artifact(model(storage)).secret?.namespace, "ome");
    assert.deepEqual(artifact(model({ storageUri: "s3://b@eu-west-1/a" })).settings, { AWS_REGION: "eu-west-1" });
    const needed = (storageUri: string) =>
      artifact(model({ storageUri, key: "keys" }))
        .secret?.entries.filter(({ need }) => need === "must")
        .map(({ variable }) => variable);
    assert.deepEqual(needed("s3://b/a"), ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]);
    assert.deepEqual(needed("oci://reg.example/a/b:v1"), ["DOCKER_AUTH_CONFIG"]);
    assert.deepEqual(needed("oci://n/ns/b/bucket/o/a"), [], "an object storage may be open, or have one of two logins");
    assert.equal(needed("vendor://a/b/c"), undefined);
    const parameters = { auth: "InstancePrincipal", region: "eu-frankfurt-1" };
    assert.deepEqual(artifact(model({ storageUri: "oci://n/ns/b/bucket/o/a", parameters })).settings, {
      OCI_CLI_AUTH: "instance_principal",
      OCI_CLI_REGION: "eu-frankfurt-1",
    });
  });
  test("a model that goes, or is for other nodes, is let go of", () => {
    const storage = { storageUri: "hf://org/repo" };
    assert.equal(modelStore.requestsOf(model(storage), node).is, "wanted");
    assert.equal(
      modelStore.requestsOf(model(storage, { deletionTimestamp: "2026-01-01T00:00:00Z" }), node).is,
      "unwanted",
    );
    assert.equal(modelStore.requestsOf(model({ ...storage, nodeSelector: { zone: "b" } }), node).is, "unwanted");
  });
});

describe("whether a node can download a model", () => {
  const permitOf = (status: BaseModel["status"], more: Partial<BaseModel["metadata"]> = {}) =>
    artifact({ ...model({ storageUri: "hf://org/repo" }, { generation: 2, ...more }), ...(status && { status }) })
      .permit;
  const condition = (type: string, status: "True" | "False" | "Unknown", observedGeneration = 2) => ({
    conditions: [{ type, status, reason: "Fits", message: "", lastTransitionTime: "", observedGeneration }],
  });
  test("follows what was decided for the current spec", () => {
    assert.equal(permitOf(undefined), "awaited");
    assert.equal(permitOf(condition("Fits", "True")), undefined);
    assert.equal(permitOf(condition("Fits", "Unknown")), undefined, "what cannot be known keeps nothing away");
    assert.equal(permitOf(condition("Fits", "False")), "denied");
    assert.equal(permitOf(condition("Fits", "True", 1)), "awaited", "decided for an earlier spec");
    assert.equal(permitOf(condition("Ready", "True")), undefined, "other nodes hold it already");
  });
  test("is the user's choice in the end", () => {
    const annotations = { "trivium.dev/fit-check": "off" };
    assert.equal(permitOf(condition("Fits", "False"), { annotations }), undefined);
    assert.equal(permitOf(condition("Fits", "False"), { annotations: { "trivium.dev/fit-check": "on" } }), "denied");
  });
});

describe("tuned weights", () => {
  const weight = (storage: FineTunedWeight["spec"]["storage"]): FineTunedWeight => ({
    apiVersion: "ome.io/v1beta1",
    kind: "FineTunedWeight",
    metadata: { name: "poet" },
    spec: { baseModelRef: { name: "m" }, modelType: "LoRA", hyperParameters: { strategy: "lora" }, storage },
  });
  test("are held as models are, in a folder and under a name of their own", () => {
    const request = modelStore.requestsOf(weight({ storageUri: "hf://acme/poet", nodeSelector: { zone: "a" } }), node);
    assert.ok(request.is === "wanted");
    assert.equal(request.artifact.key, "finetunedweight.poet");
    assert.equal(request.artifact.path, "/mnt/data/models/fine-tuned-weights/poet");
    assert.equal(
      modelStore.requestsOf(weight({ storageUri: "hf://a/b", nodeSelector: { zone: "b" } }), node).is,
      "unwanted",
    );
    assert.equal(modelStore.requestsOf(weight({ storageUri: "pvc://ns:claim/poet" }), node).is, "none");
    const short = modelStore.requestsOf(weight({ storageUri: "pvc://claim/poet" }), node);
    assert.ok(short.is === "wanted" && short.artifact.source.is === "refused");
    assert.match(short.artifact.source.why, /a FineTunedWeight must use the form pvc:\/\/\{namespace\}:/);
  });
  test("what a node says of them: what kind of adapter, its rank, and the one file of llama.cpp's", () => {
    const say = (read: ArtifactReading) => {
      const report = { key: "finetunedweight.poet", is: "ready", read } as const;
      const { labels, data } = modelStore.describe([{ object: weight({ storageUri: "hf://acme/poet" }), report }]);
      assert.deepEqual(labels, { "models.ome.io/finetunedweight.poet": "Ready" });
      return parseNodeEntry(data["finetunedweight.poet"] ?? "")?.config?.adapter;
    };
    const peft = { peft_type: "LORA", r: 8, base_model_name_or_path: "org/base" };
    assert.deepEqual(say({ models: [], adapter: peft, problems: [] }), {
      kind: "lora",
      rank: 8,
      baseModel: "org/base",
    });
    const gguf = { format: "gguf", version: 3, byteOrder: "little", files: 1, tensorCount: 0, warnings: [] } as const;
    const metadata = { "general.type": "adapter", "adapter.type": "lora", "general.architecture": "llama" };
    const file = { path: "poet.gguf", header: { ...gguf, metadata } };
    assert.deepEqual(say({ models: [file], problems: [] }), { kind: "lora", file: "poet.gguf" });
    assert.equal(say({ models: [], problems: [] }), undefined);
  });
  test("whose a key is", () => {
    const all = ["clusterbasemodel.m", "team.basemodel.m.x", "finetunedweight.poet"].map(modelStore.subjectOf);
    assert.deepEqual(all, [
      { kind: "ClusterBaseModel", namespace: "", name: "m" },
      { kind: "BaseModel", namespace: "team", name: "m.x" },
      { kind: "FineTunedWeight", namespace: "", name: "poet" },
    ]);
  });
});

describe("what a node says", () => {
  const object = model({ storageUri: "hf://org/repo" });
  const say = (report: ArtifactReport) => modelStore.describe([{ object, report }]);
  test("labels and entries", () => {
    const key = "clusterbasemodel.m";
    assert.deepEqual(say({ key, is: "failed", why: "no space" }), {
      labels: { "models.ome.io/clusterbasemodel.m": "Failed" },
      data: { [key]: `{"name":"m","status":"Failed","message":"no space","source":"${sourceHashOf(object)}"}` },
    });
    const tried = say({ key, is: "failed", why: "no space", exitCode: 6, retry: { failures: 3, nextAt: 20_000 } });
    assert.equal(parseNodeEntry(tried.data[key] ?? "")?.exitCode, 6);
    const { retry } = JSON.parse(tried.data[key] ?? "") as { retry: object };
    assert.deepEqual(retry, { failures: 3, nextTry: "1970-01-01T00:00:20Z" });
    const updating = say({ key, is: "updating", progress: { bytes: 5, total: 10, rate: 2.4, at: 0 } });
    assert.equal(updating.labels["models.ome.io/clusterbasemodel.m"], "Updating");
    const { progress } = JSON.parse(updating.data[key] ?? "{}") as { progress: object };
    assert.deepEqual(progress, {
      phase: "Downloading",
      totalBytes: 10,
      completedBytes: 5,
      speedBytesPerSec: 2,
      lastUpdated: "1970-01-01T00:00:00Z",
    });
    assert.deepEqual(parseNodeEntry(updating.data[key] ?? "")?.progress, progress);
    const queued = parseNodeEntry(say({ key, is: "updating", isQueued: true }).data[key] ?? "");
    assert.deepEqual(queued, { name: "m", status: "Updating", queued: true, source: sourceHashOf(object) });
    const files = [{ path: "model.safetensors", bytes: 70 }, { path: "config.json" }];
    const listed = (paths: typeof files) =>
      parseNodeEntry(say({ key, is: "updating", listed: paths }).data[key] ?? "")?.listed;
    assert.deepEqual(listed(files), { weightBytes: 70 });
    assert.deepEqual(listed([]), {}, "listed, and the size is unknown all the same");
    const config = { model_type: "llama", architectures: ["LlamaForCausalLM"], transformers_version: "4.51.0" };
    const ready = say({ key, is: "ready", read: { models: [], config, problems: [] } });
    const entry = parseNodeEntry(ready.data[key] ?? "");
    assert.equal(entry?.config?.modelArchitecture, "LlamaForCausalLM");
    assert.deepEqual(entry?.config?.modelFramework, { name: "transformers", version: "4.51.0" });
  });
  test("the ConfigMap of a node, also of one with a very long name", () => {
    const report = modelStore.reportOf("n1");
    assert.equal(report.metadata.namespace, "ome");
    assert.deepEqual(report.metadata.labels, { "models.ome/basemodel-status": "true", node: "n1" });
    assert.equal(modelStore.reportOf("n".repeat(100)).metadata.labels?.node, undefined);
  });
});

describe("what is read of it", () => {
  test("a GGUF file, a repository, and nothing", () => {
    const gguf = {
      format: "gguf",
      version: 3,
      byteOrder: "little",
      files: 1,
      metadata: { "general.architecture": "llama", "llama.context_length": 512 },
      tensorCount: 0,
      warnings: [],
    } as const;
    const found = describeFiles({ models: [{ path: "m.gguf", header: gguf }] });
    assert.deepEqual(found?.modelFormat, { name: "gguf" });
    assert.deepEqual(found?.modelFramework, { name: "llama.cpp" });
    assert.equal(found?.maxTokens, 512);
    const config = { architectures: ["LlamaForCausalLM"], model_type: "llama" };
    const besideConfig = describeFiles({ models: [{ path: "m.gguf", header: gguf }], config });
    assert.deepEqual(besideConfig, found, "the config.json of the model that was converted decides nothing");
    assert.equal(describeFiles({ models: [] }), undefined);
    const pipeline = describeFiles({ models: [], config: { _class_name: "StableDiffusionPipeline" } });
    assert.deepEqual(pipeline?.modelCapabilities, ["TEXT_TO_IMAGE"]);
    assert.deepEqual(pipeline?.apiCapabilities, ["OPENAI_V1_IMAGES_GENERATIONS"]);
    assert.deepEqual(found?.modelConfiguration, {
      model_type: "llama",
      context_length: 512,
      has_vision: false,
      is_embedding: false,
    });
  });
  test("a configuration in short, and the parts of a pipeline", () => {
    const config = {
      model_type: "llama",
      architectures: ["LlamaForCausalLM"],
      transformers_version: "4.51.0",
      torch_dtype: "bfloat16",
      max_position_embeddings: 4096,
    };
    const summary = describeFiles({ models: [], config })?.modelConfiguration;
    assert.deepEqual(summary, {
      model_type: "llama",
      architecture: "LlamaForCausalLM",
      context_length: 4096,
      has_vision: false,
      is_embedding: false,
      transformers_version: "4.51.0",
      torch_dtype: "bfloat16",
    });
    const index = {
      _class_name: "FluxPipeline",
      vae: ["diffusers", "AutoencoderKL"],
      text_encoder: ["transformers", "CLIPTextModel"],
      text_encoder_2: ["transformers", "T5EncoderModel"],
    };
    const { diffusionPipeline } = describeFiles({ models: [], config: index }) ?? {};
    assert.deepEqual(diffusionPipeline, {
      className: "FluxPipeline",
      textEncoder: { library: "transformers", type: "CLIPTextModel" },
      vae: { library: "diffusers", type: "AutoencoderKL" },
      additionalComponents: { text_encoder_2: { library: "transformers", type: "T5EncoderModel" } },
    });
    const entry = { status: "Ready", config: { modelConfiguration: summary, diffusionPipeline } };
    const read = parseNodeEntry(JSON.stringify(entry))?.config;
    assert.deepEqual(read, entry.config, "what is written is read again");
    const odd = { modelConfiguration: { model_type: 7, extra: "x" }, diffusionPipeline: { className: ["x"] } };
    assert.deepEqual(parseNodeEntry(JSON.stringify({ status: "Ready", config: odd }))?.config, {});
  });
  test("entries that others wrote: anything is survived, and only entries are taken", () => {
    assert.equal(parseNodeEntry("[]"), undefined);
    assert.equal(parseNodeEntry('{"status":"Great"}'), undefined);
    assert.equal(parseNodeEntry('{"status":"Ready","config":7}')?.config, undefined);
    for (const done of ['"1"', "-1", "1e300", "null"])
      assert.equal(parseNodeEntry(`{"status":"Updating","progress":{"completedBytes":${done}}}`)?.progress, undefined);
    assert.deepEqual(
      parseNodeEntry('{"status":"Ready","config":{"maxTokens":-1,"modelFormat":{"version":"1"}}}')?.config,
      {},
    );
    assert.equal(parseNodeEntry(`{"status":"Ready","pad":"${"x".repeat(300_000)}"}`), undefined);
    fc.assert(fc.property(fc.json(), (text) => void parseNodeEntry(text)));
    fc.assert(fc.property(fc.string(), (text) => void parseNodeEntry(text)));
  });
});
