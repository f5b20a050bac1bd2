import { chooseTemplate } from "@trivium/aim";
import { serviceOf, templateOf } from "./fleet.ts";

export interface SelectionTimes {
  readonly median: number;
  readonly slow: number;
  /** Processor time of one, on average: the figure that other work disturbs least. */
  readonly processor: number;
}

const states = ["Ready", "Ready", "Ready", "NotAvailable", "Progressing", "Failed"] as const;
const types = ["optimized", "optimized", "preview", "unoptimized"] as const;
const gpus = ["MI300X", "MI325X", "MI250X", "MI210", "MI355X"] as const;

/** One choice among so many templates of one model, of all states, types and GPUs, with the reasons for all that lost. */
export function measureSelection(candidates: number): SelectionTimes {
  const observed = Array.from({ length: candidates }, (_, at) => {
    const { spec } = templateOf(at, 1);
    return {
      scope: "Cluster",
      name: `template-${at}`,
      uid: `uid-${at}`,
      labels: {},
      owners: [],
      spec: { ...spec, gpuSelector: { model: gpus[at % 5] ?? "MI300X", count: 1, resourceName: "amd.com/gpu" } },
      status: {
        status: states[at % 6] ?? "Ready",
        profile: { metadata: { type: types[Math.floor(at / 6) % 4] ?? "optimized" } },
      },
    } as const;
  });
  const model = { kind: "AIMClusterModel", scope: "Cluster", name: "model-0", uid: "m", owners: [] } as const;
  const service = serviceOf(0, 1);
  const input = {
    service: { ...service, spec: { ...service.spec, overrides: { precision: "fp8" } } },
    model: { ...model, spec: { image: "registry.example/aim/model-0:1.0.0" } },
    candidates: observed,
  } as const;
  for (let i = 0; i < 100; i += 1) chooseTemplate(input);
  const before = process.cpuUsage();
  const times = Array.from({ length: 500 }, () => {
    const began = performance.now();
    chooseTemplate(input);
    return performance.now() - began;
  });
  const { user, system } = process.cpuUsage(before);
  const sorted = times.sort((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? 0;
  return { median: at(0.5), slow: at(0.99), processor: (user + system) / 1000 / times.length };
}
