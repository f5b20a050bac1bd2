import { type Gate, type Mismatch, normalizeModel, type Rank, type SelectionRules, vramOf } from "@trivium/engines";
import { compareQuantity, parseQuantity, quantityToNumber } from "@trivium/std";
import { defaultResource, hardwareRequestOf } from "../../hardware/hardware-request.ts";
import type { Service } from "../names/names.ts";
import type { ObservedModel, ObservedTemplate } from "../observed/observed-service.ts";
import * as of from "./template-facts.ts";

export interface TemplateInput {
  readonly service: Service;
  readonly model: ObservedModel;
  readonly candidates: readonly ObservedTemplate[];
}

/** By which of its templates a model is run: gates in the order in which their reasons count, then ranks. */
export function templateRules(
  input: TemplateInput,
  overrides: "matched" | "derived",
): SelectionRules<ObservedTemplate> {
  return {
    of: "AIMServiceTemplate",
    nameOf: ({ name, scope }) => `${name} ${scope}`,
    show: ({ name, scope }) => ({ name, scope }),
    gates: [
      modelScope(input),
      availability,
      ...optimization(input),
      ...(overrides === "matched" ? overrideGates(input.service) : []),
      gpuPresence,
    ],
    ranks,
  };
}

/** Cluster-wide templates are of the cluster-wide model of that name, which one in the namespace hides. */
function modelScope({ model, candidates }: TemplateInput): Gate<ObservedTemplate> {
  const isHidden = model.scope === "Namespace" && candidates.some(({ scope }) => scope === "Namespace");
  const mismatch: Mismatch = {
    reason: "LowerPreferenceRank",
    actual: "a template of the cluster-scoped model",
    required: `a template of ${model.kind} ${model.name} in this namespace`,
  };
  return { name: "scope", check: ({ scope }) => (isHidden && scope === "Cluster" ? mismatch : undefined) };
}

const byState: Readonly<Record<string, string>> = {
  Pending: "TemplatePending",
  Progressing: "TemplateProgressing",
  NotAvailable: "TemplateNotAvailable",
  Degraded: "TemplateDegraded",
  Failed: "TemplateFailed",
};

const availability: Gate<ObservedTemplate> = {
  name: "status",
  check(template) {
    if (of.isReady(template)) return undefined;
    const state = of.stateOf(template);
    const ready = template.status?.conditions?.find(({ type }) => type === "Ready")?.message;
    return {
      reason: byState[state] ?? "TemplateNotReady",
      actual: ready ? `${state}: ${ready}` : state,
      required: "Ready",
    };
  },
};

/** Whoever brings their own weights has no tuned profile to wait for. */
function optimization({ service, model }: TemplateInput): Gate<ObservedTemplate>[] {
  const isCustom = (model.spec.modelSources ?? []).length > 0;
  if (service.spec.template?.allowUnoptimized === true || isCustom) return [];
  return [
    {
      name: "profile type",
      check(template) {
        const type = of.profileTypeOf(template);
        if (type === "optimized") return undefined;
        const required = "optimized, or spec.template.allowUnoptimized: true";
        return { reason: "UnoptimizedTemplateFiltered", actual: type ?? "none", required };
      },
      change: () => "set spec.template.allowUnoptimized: true",
    },
  ];
}

/** What overrides ask for, in whichever spelling. */
function overrideGates({ spec }: Service): Gate<ObservedTemplate>[] {
  const { metric, precision, ...wanted } = spec.overrides ?? {};
  const { models, count, minVram, resourceName, cpu } = hardwareRequestOf(wanted);
  return [
    ...(metric === undefined ? [] : [changeable("metric", metric, of.metricOf)]),
    ...(precision === undefined ? [] : [changeable("precision", precision, of.precisionOf)]),
    ...(models.length === 0 ? [] : [gpuModelIn(models)]),
    ...(count === undefined ? [] : [sameWord("GPU count", String(count), (one) => String(of.gpuCountOf(one)))]),
    ...(minVram === undefined ? [] : [gpuMemory(minVram)]),
    // The usual name is filled in where nobody says one, so only another is somebody's wish.
    ...(resourceName === defaultResource ? [] : [sameWord("GPU resource", resourceName, of.gpuResourceOf)]),
    ...(cpu === undefined ? [] : [sameWord("CPU", cpuWords(cpu), (one) => cpuWords(hardwareRequestOf(one.spec).cpu))]),
  ];
}

/** Amounts in one spelling, so that `2` and `2000m` are the same. */
function cpuWords(cpu: { readonly requests?: unknown; readonly limits?: unknown } | undefined): string {
  const amount = (value: unknown): string => {
    const parsed = value === undefined ? undefined : parseQuantity(String(value));
    return parsed === undefined ? "any" : String(quantityToNumber(parsed));
  };
  return cpu === undefined ? "none" : `${amount(cpu.requests)} to ${amount(cpu.limits)}`;
}

/** An override whose field has the name of the requirement. */
const changeable = (...rule: Parameters<typeof sameWord>): Gate<ObservedTemplate> => ({
  ...sameWord(...rule),
  change: (_, { actual }) =>
    actual === "none" ? `remove spec.overrides.${rule[0]}` : `set spec.overrides.${rule[0]}: ${actual}`,
});

function sameWord(
  name: string,
  required: string,
  read: (template: ObservedTemplate) => string | undefined,
): Gate<ObservedTemplate> {
  return {
    name,
    check(template) {
      const actual = read(template);
      if (actual?.toLowerCase() === required.toLowerCase()) return undefined;
      return { reason: "ServiceOverridesNotMatched", actual: actual ?? "none", required };
    },
  };
}

function gpuModelIn(models: readonly string[]): Gate<ObservedTemplate> {
  const wanted = new Set(models);
  return {
    name: "GPU model",
    check(template) {
      const actual = of.gpuModelsOf(template);
      if (actual.some((model) => wanted.has(normalizeModel(model)))) return undefined;
      return {
        reason: "ServiceOverridesNotMatched",
        actual: actual.join(", ") || "any",
        required: models.join(", "),
      };
    },
  };
}

/** Each GPU that a replica could get must have as much. */
function gpuMemory(least: string): Gate<ObservedTemplate> {
  const wanted = parseQuantity(least);
  const isEnough = (amount: string): boolean => {
    const parsed = parseQuantity(amount);
    return wanted !== undefined && parsed !== undefined && compareQuantity(parsed, wanted) >= 0;
  };
  return {
    name: "GPU memory",
    check(template) {
      const { minVram } = hardwareRequestOf(template.spec);
      const models = of.gpuModelsOf(template);
      const sizes = models.map((model) => vramOf(normalizeModel(model)));
      const isKnown = sizes.length > 0 && sizes.every((size) => size !== undefined && isEnough(String(size)));
      if (isKnown || (minVram !== undefined && isEnough(minVram))) return undefined;
      const actual = models.length === 0 ? (minVram ?? "any") : models.map(memoryWords).join(", ");
      return { reason: "ServiceOverridesNotMatched", actual, required: `at least ${least}` };
    },
  };
}

function memoryWords(model: string): string {
  const size = vramOf(normalizeModel(model));
  return size === undefined ? model : `${model} with ${size / 1024 ** 3}Gi`;
}

/** The template itself looks at the nodes; services need not look again. */
const gpuReasons: readonly string[] = ["GPUUnavailable", "VRAMNotAvailable", "InsufficientGPUCount"];
const gpuPresence: Gate<ObservedTemplate> = {
  name: "GPU",
  check(template) {
    const ready = template.status?.conditions?.find(({ type }) => type === "Ready");
    if (of.stateOf(template) !== "NotAvailable" || !gpuReasons.includes(ready?.reason ?? "")) return undefined;
    const required = of.gpuModelsOf(template).join(" or ") || "a GPU with enough memory";
    return { reason: "RequiredGPUNotInCluster", actual: "none in the cluster", required };
  },
};

const gpus = "MI355X MI350X MI325X MI300X MI308X MI300A MI250X MI210 MI100 H100 A100".toLowerCase().split(" ");

/** What two templates in the namespace and cluster-wide differ in first is where they are. */
const ranks: readonly Rank<ObservedTemplate>[] = [
  { name: "scope", order: ["namespace", "cluster"], read: ({ scope }) => scope },
  { name: "profile type", order: ["optimized", "preview", "unoptimized"], read: of.profileTypeOf },
  { name: "GPU", order: gpus, read: bestGpu },
  { name: "metric", order: ["latency", "throughput"], read: of.metricOf },
  { name: "precision", order: ["fp4", "int4", "fp8", "int8", "fp16", "bf16", "fp32"], read: of.precisionOf },
];

function bestGpu(template: ObservedTemplate): string | undefined {
  const names = [...of.gpuModelsOf(template)];
  const place = (name: string) => (gpus.indexOf(name.toLowerCase()) + gpus.length + 1) % (gpus.length + 1);
  return names.sort((a, b) => place(a) - place(b))[0];
}
