import assert from "node:assert/strict";
import { test } from "node:test";
import { maxOffered, modelOfDevice, normalizeModel, summarizeGpus } from "@trivium/engines";
import type { Node } from "@trivium/kube";
import { checkGpus, planNodeAffinity } from "./gpu-availability.ts";
import { hardwareRequestOf, summarizeHardware } from "./hardware-request.ts";

const node = (labels: Record<string, string>, allocatable?: Record<string, string>): Node =>
  ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n", labels },
    ...(allocatable === undefined ? {} : { status: { allocatable } }),
  }) as Node;
const modelsOf = (labels: Record<string, string>) => summarizeGpus([node(labels)]).map(({ model }) => model);
const gibibyte = 1024 ** 3;

test("names of models", () => {
  const table = [
    ["mi300x", "MI300X"],
    ["AMD_Instinct_MI300X_OAM", "MI300X"],
    ["AMD Instinct MI325X", "MI325X"],
    ["AMD-74FF", "AMD-74FF"],
    ["NVIDIA-H100-80GB-HBM3", "H100"],
    ["Radeon RX7900", "RX7900"],
    ["instinct", "INSTINCT"],
    ["", ""],
    ["///", ""],
  ] as const;
  for (const [name, model] of table) assert.equal(normalizeModel(name), model, name);
  assert.equal(modelOfDevice("0x74A1"), "MI300X");
  assert.equal(modelOfDevice("beef"), "AMD-BEEF");
});

test("labels of nodes, the first known one", () => {
  const table: [Record<string, string>, string[]][] = [
    [{ "amd.com/gpu.device-id": "74a1" }, ["MI300X"]],
    [{ "beta.amd.com/gpu.device-id": "75a0" }, ["MI350X"]],
    [{ "beta.amd.com/gpu.device-id.74a5": "8" }, ["MI325X"]],
    [{ "amd.com/gpu.device-id.74a5": "0" }, []],
    [{ "amd.com/gpu.device-id.74a5": "" }, []],
    [{ "amd.com/gpu.family": "MI210" }, ["MI210"]],
    [{ "beta.amd.com/gpu.family.AI": "1" }, ["AI"]],
    [{ "amd.com/gpu.device-id": "74a1", "amd.com/gpu.family": "MI210" }, ["MI300X"]],
    [{ "nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB" }, ["A100"]],
    [{ "kubernetes.io/hostname": "x" }, []],
  ];
  for (const [labels, models] of table) assert.deepEqual(modelsOf(labels), models, JSON.stringify(labels));
});

test("nodes of one model are counted together, the best node counts", () => {
  const gpus = summarizeGpus([
    node({ "amd.com/gpu.device-id": "74a1" }, { "amd.com/gpu": "4", cpu: "64" }),
    node({ "amd.com/gpu.device-id": "74a9", "amd.com/gpu.vram": "191G" }, { "amd.com/gpu": "8" }),
    node({ "amd.com/gpu.device-id": "74a0", "amd.com/gpu.vram": "nonsense" }),
  ]);
  assert.deepEqual(gpus, [
    { model: "MI300A", vramBytes: 128 * gibibyte, most: {}, labels: ["amd.com/gpu.device-id=74a0"] },
    {
      model: "MI300X",
      vramBytes: 192 * gibibyte,
      most: { "amd.com/gpu": 8 },
      labels: ["amd.com/gpu.device-id=74a1", "amd.com/gpu.device-id=74a9"],
    },
  ]);
});

test("requested GPUs are available, or why not", () => {
  const gpus = summarizeGpus([
    node({ "amd.com/gpu.device-id": "74a1" }, { "amd.com/gpu": "2" }),
    node({ "beta.amd.com/gpu.device-id.740f": "1" }),
  ]);
  const outcome = (spec: Parameters<typeof hardwareRequestOf>[0]) => {
    const found = checkGpus(hardwareRequestOf(spec), gpus);
    return found.is === "available" ? found.models : found.reason;
  };
  assert.deepEqual(outcome({}), []);
  assert.deepEqual(outcome({ gpuSelector: { model: "mi300x", count: 2 } }), ["MI300X"]);
  assert.equal(outcome({ gpuSelector: { model: "MI300X", count: 3 } }), "InsufficientGPUCount");
  assert.equal(outcome({ gpuSelector: { model: "MI355X" } }), "GPUUnavailable");
  assert.deepEqual(outcome({ hardware: { gpu: { requests: 1, models: ["MI355X", "MI210"] } } }), ["MI210"]);
  assert.deepEqual(outcome({ hardware: { gpu: { requests: 1, minVram: "64Gi" } } }), ["MI210", "MI300X"]);
  assert.equal(outcome({ hardware: { gpu: { requests: 1, minVram: "1Ti" } } }), "VRAMNotAvailable");
  assert.equal(outcome({ hardware: { gpu: { requests: 1, minVram: "100Gi", model: "MI210" } } }), "VRAMNotAvailable");
  assert.deepEqual(outcome({ hardware: { cpu: { requests: "4" } } }), []);
  assert.deepEqual(outcome({ hardware: { gpu: { requests: 0, model: "MI355X" } } }), []);
});

test("GPUs by count only: any node counts, with any labels", () => {
  const outcome = (spec: Parameters<typeof hardwareRequestOf>[0], nodes: Node[]) => {
    const request = hardwareRequestOf(spec);
    const found = checkGpus(request, summarizeGpus(nodes), maxOffered(nodes, request.resourceName));
    return found.is === "available" ? "there" : found.reason;
  };
  const plain = node({}, { cpu: "2" });
  const two = node({}, { "amd.com/gpu": "2" });
  const labelled = node({ "amd.com/gpu.device-id": "74a1" });
  const leaving = { ...two, metadata: { ...two.metadata, deletionTimestamp: "2026-11-15T12:00:00Z" } } as Node;
  const one = { hardware: { gpu: { requests: 1 } } };
  assert.equal(outcome(one, []), "GPUUnavailable");
  assert.equal(outcome(one, [plain]), "GPUUnavailable");
  assert.equal(outcome(one, [plain, leaving]), "GPUUnavailable");
  assert.equal(outcome(one, [plain, two]), "there");
  assert.equal(outcome(one, [labelled]), "there", "a node without a device plugin does not tell");
  assert.equal(outcome({ gpuSelector: { count: 3 } }, [plain, two]), "InsufficientGPUCount");
  assert.equal(outcome({ gpuSelector: { count: 1, resourceName: "nvidia.com/gpu" } }, [two]), "GPUUnavailable");
  assert.equal(outcome({ hardware: { gpu: { requests: 0 } } }, [plain]), "there");
  assert.equal(outcome({ hardware: { cpu: { requests: "1" } } }, [plain]), "there");
});

test("affinity has a term for each form of label that nodes carry", () => {
  const gpus = summarizeGpus([
    node({ "amd.com/gpu.device-id": "74a1" }),
    node({ "beta.amd.com/gpu.device-id": "74a1" }),
    node({ "beta.amd.com/gpu.device-id.74a1": "8" }),
    node({ "amd.com/gpu.device-id": "740f" }),
  ]);
  assert.deepEqual(planNodeAffinity(["MI300X"], gpus), {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [
        {
          matchExpressions: [
            { key: "amd.com/gpu.device-id", operator: "In", values: ["74a1", "74a9", "74b5", "74bd"] },
          ],
        },
        { matchExpressions: [{ key: "beta.amd.com/gpu.device-id", operator: "In", values: ["74a1"] }] },
        { matchExpressions: [{ key: "beta.amd.com/gpu.device-id.74a1", operator: "Exists" }] },
      ],
    },
  });
  assert.equal(planNodeAffinity([], gpus), undefined);
});

test("hardware summary", () => {
  const table: [Parameters<typeof hardwareRequestOf>[0], string][] = [
    [{ gpuSelector: { count: 2, model: "MI300X" } }, "2 x MI300X"],
    [{ gpuSelector: { model: "MI300X" } }, "1 x MI300X"],
    [{ gpuSelector: { count: 2 } }, "2 x GPU"],
    [
      { hardware: { gpu: { requests: 1, models: ["MI300X", "MI325X"], minVram: "64Gi" } } },
      "1 x MI300X or MI325X with 64Gi",
    ],
    [{ hardware: { cpu: { requests: "4" } } }, "CPU"],
    [{}, ""],
  ];
  for (const [spec, words] of table) assert.equal(summarizeHardware(hardwareRequestOf(spec)), words);
});
