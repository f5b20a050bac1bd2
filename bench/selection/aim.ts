import { chooseTemplate } from "@trivium/aim";
import { serviceOf, templateOf } from "../aim/fleet.ts";
import type { SelectionCase } from "./measure.ts";

const states = ["Ready", "Ready", "Ready", "NotAvailable", "Progressing", "Failed"] as const;
const types = ["optimized", "optimized", "preview", "unoptimized"] as const;
const gpus = ["MI300X", "MI325X", "MI250X", "MI210", "MI355X"] as const;

const templatesOf = (count: number) =>
  Array.from({ length: count }, (_, at) => {
    const { spec } = templateOf(at, 1);
    return {
      scope: "Cluster",
      name: `template-${at}`,
      uid: `uid-${at}`,
      labels: {},
      owners: [],
      // The first has a precision of its own.
      spec: {
        ...spec,
        ...(at === 0 ? { precision: "int4" as const } : {}),
        gpuSelector: { model: gpus[at % 5] ?? "MI300X", count: 1, resourceName: "amd.com/gpu" },
      },
      status: {
        status: states[at % 6] ?? "Ready",
        profile: { metadata: { type: types[Math.floor(at / 6) % 4] ?? "optimized" } },
      },
    } as const;
  });

/** One service of a model with so many templates of all states, types and GPUs: one of them suits, several suit equally, or none does. */
export function aimCases(count: number): SelectionCase[] {
  const candidates = templatesOf(count);
  const kept = { kind: "AIMClusterModel", scope: "Cluster", name: "model-0", uid: "m", owners: [] } as const;
  const model = { ...kept, spec: { image: "registry.example/aim/model-0:1.0.0" } };
  const service = serviceOf(0, 1);
  const choose = (overrides: NonNullable<typeof service.spec.overrides>) => () =>
    chooseTemplate({ service: { ...service, spec: { ...service.spec, overrides } }, model, candidates });
  return [
    { dialect: "AIM", what: "templates, one suits", run: choose({ precision: "int4" }) },
    { dialect: "AIM", what: "templates, several suit equally", run: choose({ precision: "fp8" }) },
    {
      dialect: "AIM",
      what: "templates, none has what is requested",
      run: choose({ precision: "int4", metric: "throughput" }),
    },
  ];
}
