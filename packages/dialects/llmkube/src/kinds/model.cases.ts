import type { Json, JsonObject } from "@trivium/std";
import type { SpecCase } from "./cases.ts";

const source = "org/repo";
const defaults = { format: "gguf", refreshPolicy: "IfNotPresent" };

const sources = (outcome: "stored" | "refused", texts: readonly string[]): SpecCase[] =>
  texts.map((text) => ({
    title: `source ${JSON.stringify(text)} is ${outcome}`,
    spec: { source: text },
    ...(outcome === "refused" ? { refusedAt: ["spec.source"] } : {}),
  }));

const gpu = (title: string, value: Json, outcome: Omit<SpecCase, "title" | "spec"> = {}): SpecCase => ({
  title: `gpu: ${title}`,
  spec: { source, hardware: { gpu: value } },
  ...outcome,
});

const claims = (title: string, resourceClaims: Json, refusedAt?: string[]): SpecCase =>
  gpu(title, { resourceClaims }, refusedAt === undefined ? {} : { refusedAt });

const GPU = "spec.hardware.gpu";
const CLAIMS = "spec.hardware.gpu.resourceClaims";
const claim = (index: number): JsonObject => ({ name: `claim-${index}`, resourceClaimName: "a" });

export const modelCases: readonly SpecCase[] = [
  ...sources("stored", [
    "https://h/m.gguf",
    "http://h/m.gguf",
    "http://",
    "file:///mnt/m.gguf",
    "file:///a b",
    "/mnt/m.gguf",
    "pvc://claim/p/m.gguf",
    "pvc://claim",
    "hf://org/repo",
    "hf://org/repo@v1",
    "s3://bucket/key",
    "org/repo",
    "Qwen/Qwen3-8B-GGUF",
    "model.gguf",
    "https://h/m.gguf\ntail",
    "/mnt/\u00a0m.gguf",
    "ab",
  ]),
  ...sources("refused", [
    "",
    "a",
    "/",
    "/a b.gguf",
    "/a\tb.gguf",
    "HTTPS://h/m.gguf",
    "org/repo@main",
    "oci://registry/model",
    "ftp://h/m.gguf",
    "-org/repo",
    " https://h/m.gguf",
    "modèle/repo",
  ]),
  { title: "source is required", spec: {}, refusedAt: ["spec.source"] },
  { title: "source is not null", spec: { source: null }, refusedAt: ["spec.source"] },
  { title: "source is a string", spec: { source: 5 }, refusedAt: ["spec.source"] },

  { title: "defaults of a minimal spec", spec: { source }, storedAs: { source, ...defaults } },
  {
    title: "an object that is written gets the defaults inside it",
    spec: { source, hardware: { gpu: { sharding: {} } } },
    storedAs: {
      source,
      ...defaults,
      hardware: { accelerator: "cpu", gpu: { vendor: "nvidia", sharding: { strategy: "layer" } } },
    },
  },
  {
    title: "null where there is a default is replaced by it",
    spec: { source, format: null, refreshPolicy: null, hardware: { accelerator: null, gpu: { vendor: null } } },
    storedAs: { source, ...defaults, hardware: { accelerator: "cpu", gpu: { vendor: "nvidia" } } },
  },
  {
    title: "null is kept everywhere else",
    spec: { source, sha256: null, quantization: null, files: null, mmproj: null, resources: null, hardware: null },
    storedAs: {
      source,
      ...defaults,
      sha256: null,
      quantization: null,
      files: null,
      mmproj: null,
      resources: null,
      hardware: null,
    },
  },
  {
    title: "null inside the nested objects",
    spec: {
      source,
      resources: { cpu: null, memory: null },
      hardware: {
        memoryBudget: null,
        memoryFraction: null,
        gpu: { count: null, sharding: null, resourceClaims: null },
      },
    },
  },
  { title: "null is no entry of a list", spec: { source, files: [null] }, refusedAt: ["spec.files[0]"] },
  {
    title: "what the schema does not know is dropped",
    spec: { source, prefetch: true, hardware: { gpu: { colour: "red" }, tpu: {} } },
    storedAs: { source, ...defaults, hardware: { accelerator: "cpu", gpu: { vendor: "nvidia" } } },
  },

  { title: "sha256 in both cases of letters", spec: { source, sha256: "aF".repeat(32) } },
  { title: "sha256 too short", spec: { source, sha256: "a".repeat(63) }, refusedAt: ["spec.sha256"] },
  { title: "sha256 too long", spec: { source, sha256: "a".repeat(65) }, refusedAt: ["spec.sha256"] },
  { title: "sha256 with a letter beyond f", spec: { source, sha256: "g".repeat(64) }, refusedAt: ["spec.sha256"] },
  { title: "unknown format", spec: { source, format: "onnx" }, refusedAt: ["spec.format"] },
  { title: "empty format", spec: { source, format: "" }, refusedAt: ["spec.format"] },
  { title: "unknown refresh policy", spec: { source, refreshPolicy: "Always" }, refusedAt: ["spec.refreshPolicy"] },
  {
    title: "unknown accelerator",
    spec: { source, hardware: { accelerator: "tpu" } },
    refusedAt: ["spec.hardware.accelerator"],
  },
  { title: "memoryFraction has no bounds in the schema", spec: { source, hardware: { memoryFraction: 1.5 } } },
  {
    title: "memoryFraction is a number",
    spec: { source, hardware: { memoryFraction: "0.5" } },
    refusedAt: ["spec.hardware.memoryFraction"],
  },
  { title: "memory is a string", spec: { source, resources: { memory: 4 } }, refusedAt: ["spec.resources.memory"] },

  gpu("none at all", { count: 0 }),
  gpu("as many as eight", { count: 8 }),
  gpu("nine", { count: 9 }, { refusedAt: [`${GPU}.count`] }),
  gpu("fewer than none", { count: -1 }, { refusedAt: [`${GPU}.count`] }),
  gpu("half a GPU", { count: 0.5 }, { refusedAt: [`${GPU}.count`] }),
  gpu("automatic layers", { layers: -1 }),
  gpu("layers below -1", { layers: -2 }, { refusedAt: [`${GPU}.layers`] }),
  gpu("unknown vendor", { vendor: "apple" }, { refusedAt: [`${GPU}.vendor`] }),
  gpu("runtime of AMD", { runtime: "vulkan" }),
  gpu("unknown runtime", { runtime: "cuda" }, { refusedAt: [`${GPU}.runtime`] }),
  gpu("null for an enum without a default", { runtime: null }, { refusedAt: [`${GPU}.runtime`] }),
  gpu("row, the other word for tensor", { sharding: { strategy: "row" } }),
  gpu("unknown strategy", { sharding: { strategy: "expert" } }, { refusedAt: [`${GPU}.sharding.strategy`] }),
  gpu("a MIG slice", { resourceName: "nvidia.com/mig-1g.5gb" }),
  gpu("a device plugin", { resourceName: "squat.ai/dri-render", tolerationKey: "squat.ai/gpu" }),
  gpu("capitals in the resource", { resourceName: "NVIDIA.com/gpu" }, { refusedAt: [`${GPU}.resourceName`] }),
  gpu("a resource without a domain", { resourceName: "gpu" }, { refusedAt: [`${GPU}.resourceName`] }),
  gpu("a taint without a domain", { tolerationKey: "gpu" }, { refusedAt: [`${GPU}.tolerationKey`] }),

  claims("a claim by name", [{ name: "a", resourceClaimName: "x" }]),
  claims("a claim by template", [{ name: "a", resourceClaimTemplateName: "x" }]),
  claims("a claim with null for the other", [{ name: "a", resourceClaimName: null, resourceClaimTemplateName: "x" }]),
  claims("an empty name counts as a name", [{ name: "a", resourceClaimName: "" }]),
  claims("no claims", []),
  claims("a claim with both", [{ name: "a", resourceClaimName: "x", resourceClaimTemplateName: "y" }], [CLAIMS]),
  claims("a claim with neither", [{ name: "a" }], [CLAIMS]),
  claims("one bad claim among good ones", [claim(0), { name: "a" }], [CLAIMS]),
  claims("a claim without a name", [{ resourceClaimName: "x" }], [`${CLAIMS}[0].name`]),
  claims(
    "sixteen claims",
    Array.from({ length: 16 }, (_, index) => claim(index)),
  ),
  claims(
    "seventeen claims",
    Array.from({ length: 17 }, (_, index) => claim(index)),
    [CLAIMS],
  ),
  gpu("a resource and an empty list of claims", { resourceName: "nvidia.com/gpu", resourceClaims: [] }),
  gpu("a resource and null claims", { resourceName: "nvidia.com/gpu", resourceClaims: null }),
  gpu("null for the resource, and a claim", { resourceName: null, resourceClaims: [claim(0)] }),
  gpu("a resource and a claim", { resourceName: "nvidia.com/gpu", resourceClaims: [claim(0)] }, { refusedAt: [GPU] }),
];
