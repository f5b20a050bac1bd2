import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { autoModelName, autoTemplateName } from "../src/images/names.ts";
import { addressNameOf, type KVCache, setNameOf } from "../src/kv-cache/names/names.ts";
import { claimNameOf, type ModelCache } from "../src/model-cache/names/names.ts";
import { modelNameOf } from "../src/model-source/selection/find-images.ts";
import { labelValueOf } from "../src/names.ts";
import { engineNamesOf, lmCacheConfigOf, type Service, workloadNameOf } from "../src/service/names/names.ts";
import { derivedTemplateName } from "../src/service/selection/derived-template.ts";
import { safeSegment } from "../src/service/traffic/path-template.ts";
import { bytesOf, claimSize } from "../src/storage/claim-size.ts";
import { parseDiscoveryOutput } from "../src/template/discovery/discovery-output.ts";

const promptCache: KVCache = {
  apiVersion: "aim.silogen.ai/v1alpha1",
  kind: "AIMKVCache",
  metadata: { name: "kvcache-team-a", namespace: "team-a" },
  spec: {},
};

/**
 * Names, sizes and paths that other people's tools, dashboards and scripts rely on, computed by others. The names that releases of AIM
 * Engine since 0.2 give to what serves are not ours: it is called as the service is, and keeps such a name after a take-over.
 */
const vectors: Readonly<Record<string, readonly (readonly [input: string, found: unknown, wanted: string])[]>> = {
  "what serves": [
    ["team-a/chat", serving("chat", "team-a"), "chat"],
    [
      "machine-learning/very-long-…",
      serving("very-long-service-name-for-a-chat-model-in-production", "machine-learning"),
      "very-long-service-name-for-6defee7e",
    ],
  ],
  "what AIM Engine serves with": [
    ["team-a/chat", engineNamesOf(service("chat", "team-a")).workload, "chat-e204f50a"],
    [
      "machine-learning/very-long-…",
      engineNamesOf(service("very-long-service-name-for-a-chat-model-in-production", "machine-learning")).workload,
      "very-long-service-name-for-86a5bcd1",
    ],
  ],
  "a model made of an image": [
    ["tag", autoModelName("registry.acme.io/aim/foo-8b:1.4.2"), "foo-8b-1-4-2-d007a80b"],
    ["no tag", autoModelName("foo"), "foo-latest-2c26b46b"],
    ["digest", autoModelName(`acme/foo@sha256:${"0123456789abcdef".repeat(4)}`), "foo-012345-953f8c74"],
    [
      "dots",
      autoModelName("gcr.io/my-project/models/llama-3-70b-instruct:v1.2.3"),
      "llama-3-70b-instruct-v1-2-3-8924e87d",
    ],
    ["underscores", autoModelName("docker.io/org/Model_Name-v2:tag"), "model-name-v2-tag-80c44dff"],
    ["short digest", autoModelName("ghcr.io/silogen/vllm@sha256:abcdef1234567890"), "vllm-abcdef-c6bc0374"],
    [
      "long name",
      autoModelName(
        "registry.example.com/very-long-organization-name/extremely-long-model-name-that-exceeds-limits:v2.0.1",
      ),
      "extremely-long-model-name-that-exceeds-limits-v2-0-1-53334e16",
    ],
    [
      "long tag: the name gives way, the tag stays whole",
      autoModelName("ghcr.io/acme/aim-meta-llama:0.8.4-preview-20251103-rocm-6.4.1-nightly").slice(0, -9),
      "aim-meta-lla-0-8-4-preview-20251103-rocm-6-4-1-nightly",
    ],
    ["a run of other characters is one hyphen", autoModelName("acme/foo:1.0__rc").slice(0, -9), "foo-1-0-rc"],
  ],
  "a template that an image recommends": [
    ["1 MI300X", template("MI300X", 1, "latency", "fp8"), "foo-8b-1x-mi300x-lat-fp8-d46c"],
    ["4 MI325X", template("MI325X", 4, "throughput", "fp16"), "foo-8b-4x-mi325x-thr-fp16-bd7e"],
    ["a GPU alone", template("MI300X"), "foo-8b-mi300x-c7bd"],
    ["a number alone", template(undefined, 2), "foo-8b-x2-ccd3"],
    ["no number", template("MI300X", 0), "foo-8b-mi300x-c7bd"],
    [
      "a long model",
      autoTemplateName("very-long-model-name-that-exceeds-kubernetes-limits-llama-3-1-70b-instruct", {
        gpuModel: "MI300X",
        gpuCount: 8,
        metric: "throughput",
        precision: "fp16",
      }),
      "very-long-model-name-that-exceeds-kuber-8x-mi300x-thr-fp16-225e",
    ],
    [
      "a model with dots",
      autoTemplateName("foo-0.8.4-590b84", { gpuModel: "MI300X", gpuCount: 1 }).slice(0, -5),
      "foo-0.8.4-590b84-1x-mi300x",
    ],
  ],
  "a template derived by overrides": [
    ["metric, precision", derivedTemplateName("foo", { precision: "fp8", metric: "throughput" }), "foo-ovr-5ab7d1be"],
    [
      "GPUs",
      derivedTemplateName("foo", { gpuSelector: { resourceName: "amd.com/gpu", model: "MI300X", count: 2 } }),
      "foo-ovr-20b32257",
    ],
  ],
  "a template derived from one with dots": [
    [
      "dots stay",
      derivedTemplateName("foo-0.8.4", { metric: "throughput", precision: "fp8" }),
      "foo-0.8.4-ovr-5ab7d1be",
    ],
  ],
  "the claim of a model cache": [
    ["short", claimNameOf(modelCache("smollm2-135m")), "smollm2-135m-cache"],
    ["dots stay", claimNameOf(modelCache("llama-3.1-8b")), "llama-3.1-8b-cache"],
    ["long: cut at its end", claimNameOf(modelCache("a".repeat(60))), `${"a".repeat(60)}-ca`],
    ["not to a hyphen", claimNameOf(modelCache("a".repeat(62))), "a".repeat(62)],
  ],
  "a cache of prompts": [
    ["set", setNameOf(promptCache), "kvcache-team-a-redis-a1bbaaab"],
    ["address", addressNameOf(promptCache), "kvcache-team-a-redis-svc-a1bbaaab"],
    ["configuration", lmCacheConfigOf(service("chat", "team-a")), "lmcache-chat-61772f97"],
  ],
  "a model that a source found": [
    [
      "docker.io/acme/aim-foo:1.4.2",
      modelNameOf({ registry: "docker.io", repository: "acme/aim-foo", tag: "1.4.2" }),
      "acme-aim-foo-1.4.2-d6b775",
    ],
    [
      "as published",
      modelNameOf({
        registry: "docker.io",
        repository: "amdenterpriseai/aim-meta-llama-llama-3-1-8b-instruct",
        tag: "0.8.4",
      }),
      "amdenterpriseai-aim-meta-llama-llama-3-1-8b-instru-0.8.4-590b84",
    ],
    [
      "never a dot before a hyphen",
      modelNameOf({ registry: "docker.io", repository: "acme/foo", tag: `1.${"0.".repeat(40)}` }).slice(0, -7),
      `acme-foo-1${".0".repeat(23)}`,
    ],
  ],
  "a claim": [
    ["0.5Gi and 10 %", claim("0.5Gi", 10), "1Gi"],
    ["0.5Gi and 200 %", claim("0.5Gi", 200), "2Gi"],
    ["16Gi and 10 %", claim("16Gi", 10), "18Gi"],
    ["10Gi", claim("10Gi", 0), "10Gi"],
    ["8.5Gi and 10 %", claim("8.5Gi", 10), "10Gi"],
  ],
  "a part of a path": [
    ["Meta/Llama-3-8B", safeSegment("Meta/Llama-3-8B"), "meta-llama-3-8b"],
    ["v1.2", safeSegment("v1.2"), "v1.2"],
    ["__x__", safeSegment("__x__"), "x"],
    ["Team A", safeSegment("Team A"), "team-a"],
    ["a..b", safeSegment("a..b"), "a-b"],
  ],
  "a value of a label": [
    ["amd/Llama-3.1-8B", labelValueOf("amd/Llama-3.1-8B"), "amd_Llama-3.1-8B"],
    ["//", labelValueOf("//"), "unknown"],
    ["meta/llama-3-8b:1.1+…", labelValueOf("meta/llama-3-8b:1.1+20240915"), "meta_llama-3-8b_1.1_20240915"],
  ],
  "a size that an image tells": [["size_gb 0.5", discovered(0.5), "512Mi"]],
};

for (const [what, rows] of Object.entries(vectors))
  describe(what, () => {
    for (const [input, found, wanted] of rows) test(`${input}: ${wanted}`, () => assert.equal(found, wanted));
  });

function service(name: string, namespace: string): Service {
  return { apiVersion: "aim.silogen.ai/v1alpha1", kind: "AIMService", metadata: { name, namespace }, spec: {} };
}

function modelCache(name: string): ModelCache {
  const spec = { sourceUri: "hf://acme/foo" };
  return { apiVersion: "aim.silogen.ai/v1alpha1", kind: "AIMModelCache", metadata: { name }, spec };
}

function serving(name: string, namespace: string): string {
  return workloadNameOf(service(name, namespace));
}

function template(gpuModel?: string, gpuCount?: number, metric?: string, precision?: string): string {
  return autoTemplateName("foo-8b", { gpuModel, gpuCount, metric, precision });
}

function claim(size: string, headroom: number): string {
  return claimSize(bytesOf(size) ?? 0n, headroom);
}

function discovered(gigabytes: number): unknown {
  const models = [{ name: "acme/foo", source: "hf://acme/foo", size_gb: gigabytes }];
  const found = parseDiscoveryOutput(JSON.stringify([{ profile: {}, models }]));
  return found.is === "found" ? found.modelSources[0]?.size : found.why;
}
