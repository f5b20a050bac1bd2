import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Schema } from "@trivium/schema";
import { leavesOf, recording, sampleOf } from "@trivium/testkit";
import { type Engine, engineOf, type Runtime } from "../src/inference-service/pod/engines/index.ts";
import { serviceReconciler } from "../src/inference-service/reconciler.ts";
import {
  engineFields,
  inertFields,
  isTakenBy,
  reportedFields,
} from "../src/inference-service/status/ignored-fields.ts";
import { InferenceService } from "../src/kinds/inference-service.ts";
import { Model } from "../src/kinds/model.ts";
import { modelReconciler } from "../src/model/reconciler.ts";
import { defaultOptions } from "../src/options.ts";

const specOf = (kind: { schema: Schema }): Schema => kind.schema.properties?.spec as Schema;
const runtimes = specOf(InferenceService).properties?.runtime?.enum as Runtime[];
const metadata = { name: "m", namespace: "default", generation: 1 };
const absent = { is: "absent" } as const;
const nothingObserved = {
  deployment: absent,
  priority: { is: "known", value: 1 },
  pods: [],
  queue: [],
  nodes: [],
  agent: [],
};

/** Fields that one decision or another looks at, over all runtimes and the forms that exclude each other. */
function fieldsRead(): { service: Set<string>; model: Set<string> } {
  const read = { service: new Set<string>(), model: new Set<string>() };
  const service = sampleOf(specOf(InferenceService)) as InferenceService["spec"];
  const model = sampleOf(specOf(Model)) as Model["spec"];
  const hardware = { ...model.hardware, accelerator: "cuda" as const, memoryBudget: "1Gi", memoryFraction: 0.5 };
  const { resourceName: _, ...claimed } = { ...model.hardware?.gpu, count: 2, memory: "1Gi" };
  const { resourceClaims: __, ...named } = { ...claimed, resourceName: "a/b", tolerationKey: "a/c" };
  const amd = { count: 1, vendor: "amd", runtime: "rocm" } as const;
  const quantities = { cpu: "1", memory: "1Gi", hostMemory: "1Gi", ephemeralStorage: "1Gi", gpuMemory: "1Gi" };
  const metrics = [
    { type: "Pods" as const, name: "a", targetAverageValue: "1" },
    { type: "Resource" as const, name: "cpu", targetAverageUtilization: 1 },
  ];
  for (const runtime of runtimes)
    for (const gpu of [claimed, named, amd, undefined])
      for (const mode of ["partitioned", "exclusive"] as const)
        for (const source of ["hf://a/b", "https://h/m.gguf", "pvc://c/m.gguf"]) {
          const isRepository = source.startsWith("hf");
          const spec = {
            ...model,
            source,
            resources: { cpu: "1", memory: "1Gi" },
            files: isRepository ? ["a.gguf", "b"] : [],
            mmproj: isRepository ? "p" : null,
            hardware: { ...hardware, gpu: gpu ?? null },
          };
          const object = { apiVersion: "", kind: "Model", metadata, spec, status: { phase: "Ready" } } as Model;
          const draft = { is: "known", value: object } as const;
          const wanted = {
            ...service,
            runtime,
            mode: undefined,
            suspend: false,
            replicas: 1,
            autoscaling: { minReplicas: 1, maxReplicas: 2, metrics },
            speculativeDecoding: {
              type: "draft-mtp",
              ...(gpu ? { draftModelRef: "d" } : { draftModel: "b" }),
              nDraftMax: 1,
              pMin: 0,
            },
            resources: { ...quantities, gpu: 1, gpuSharing: { mode, profile: "1g.10gb", memoryLimitGiB: 1 } },
            skipModelInit: isRepository && mode === "exclusive",
          } as unknown as InferenceService["spec"];
          const priority = mode === "exclusive" ? absent : nothingObserved.priority;
          const observed = {
            ...nothingObserved,
            priority,
            draft,
            model: { is: "known", value: watched(object, read.model) },
          } as never;
          const isvc = { apiVersion: "", kind: "InferenceService", metadata, spec: wanted } as InferenceService;
          serviceReconciler(defaultOptions).decide(watched(isvc, read.service), observed, 0);
          const observedModel = { accelerator: { is: "known", value: true }, fetches: [] } as never;
          modelReconciler(defaultOptions).decide(watched(object, read.model), observedModel, 0);
        }
  return read;
}

/** Decisions and observations both look at an object; here only its spec is of interest. */
function watched<O extends { spec: object }>(object: O, read: Set<string>): O {
  return { ...object, spec: recording(object.spec, read) };
}

describe("a field that nothing reads is named", () => {
  const read = fieldsRead();
  /** Looked at where pods and nodes are watched, or by the quotas of GPUs, not where it is decided. */
  const observed = ["disruption.protectStartup", "disruption.protectAlways", "resources.gpuSharing.memoryLimitGiB"];
  const isReported = (field: string): boolean =>
    Object.keys(reportedFields).some((path) => field === path || field.startsWith(`${path}.`));

  test("of InferenceService: those that do nothing are in the table of ignored fields", () => {
    const unread = leavesOf(specOf(InferenceService)).filter((field) => !read.service.has(field));
    const untold = unread.filter(
      (field) => inertFields[field] === undefined && !isReported(field) && !observed.includes(field),
    );
    assert.deepEqual(untold, []);
    assert.ok(unread.includes("slo.window"), "what is not looked at is noticed");
  });
  test("of InferenceService: the page lists those of the table", () => {
    const page = readFileSync(join(import.meta.dirname, "../../../../docs/reference/dialects/llmkube.md"), "utf8");
    const [, section = ""] = page.split("\n## Without effect\n");
    const rows = (section.split("\n## ")[0] ?? "").matchAll(/^\| `InferenceService` \| `spec\.([^`]+)` \|/gm);
    assert.deepEqual([...rows].map(([, field]) => field).sort(), Object.keys(inertFields).sort());
  });
  test("of Model: there is none", () => {
    assert.deepEqual(
      leavesOf(specOf(Model)).filter((field) => !read.model.has(field)),
      [],
    );
  });
});

describe("an engine takes the fields that the table says, and no others", () => {
  for (const runtime of runtimes) {
    const engine = engineOf(runtime);
    if (engine === undefined) continue;
    test(runtime, () => {
      for (const field of [...engineFields, "bindAddress"]) {
        assert.equal(changesArguments(engine, runtime, field), isTakenBy(runtime, field), `${runtime} and ${field}`);
      }
    });
  }
});

/** Fields that need another to show. */
const companions: Record<string, object> = {
  reasoningBudget: { reasoningBudget: 5 },
  moeCPULayers: { moeCPULayers: 3 },
  bindAddress: { bindAddress: "0.0.0.0" },
  speculativeDecoding: { speculativeDecoding: { type: "ngram-simple", nDraftMax: 2 } },
};

const sampleField = (field: string): object =>
  companions[field] ?? { [field]: sampleOf(specOf(InferenceService).properties?.[field] as Schema, field) };

function changesArguments(engine: Engine, runtime: Runtime, field: string): boolean {
  return argsOf(engine, runtime, {}).join(" ") !== argsOf(engine, runtime, sampleField(field)).join(" ");
}

function argsOf(engine: Engine, runtime: Runtime, fields: object): string[] {
  const spec = { modelRef: "m", runtime, ...fields };
  const service = { apiVersion: "", kind: "InferenceService", metadata, spec } as InferenceService;
  const model = { apiVersion: "", kind: "Model", metadata, spec: { source: "a/b", hardware: { gpu: {} } } } as Model;
  const gpu = {
    is: "resource",
    resource: "nvidia.com/gpu",
    count: 1,
    vendor: "nvidia",
    toleration: { key: "a" },
  } as const;
  return engine.args({ adapters: [], promptCache: [], service, model, gpu, mode: "chat", port: 1, weights: "/w" });
}
