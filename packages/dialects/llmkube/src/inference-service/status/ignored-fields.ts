import { describeMissingCache, type ObservedSharedCache, servingAnnotations } from "@trivium/engines";
import type { DecidedCondition } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import { type GpuPlan, gpuCount } from "../../hardware/gpu-plan.ts";
import { engineConfigs } from "../../kinds/engine-configs.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { llamaCpp } from "../../kinds/llama-cpp.ts";
import type { EngineLimit } from "../../options.ts";
import { type Engine, engineOf, type Runtime } from "../pod/engines/index.ts";
import { hasMetric } from "../scaling/lower-scaling.ts";
import type { Intended } from "../selection/lowered.ts";

type Spec = InferenceService["spec"];

/** Fields that nothing in a cluster carries out, each with who would. A test finds every field that no code reads, and expects it here. */
export const inertFields: Readonly<Record<string, string>> = {
  evictionProtection: "applies only to the Metal agent",
  turboQuantBits: "applies only to oMLX under the Metal agent",
  pagedSSDCacheDir: "applies only to oMLX under the Metal agent",
  hotCacheMaxSize: "applies only to oMLX under the Metal agent",
  pagedSSDCacheMaxSize: "applies only to oMLX under the Metal agent",
  "resources.gpuMemory": "the scheduler does not consider GPU memory; use hardware.gpu.memory of the Model",
};

/** Fields whose fate has a condition of its own. */
export const reportedFields = { slo: "SLOReady", "endpoint.gateway": "GatewayReady" } as const;

/** Fields of engines that every engine takes, or none but the one that is named. */
const taken: Readonly<Record<Runtime, readonly string[]>> = {
  llamacpp: [...Object.keys(llamaCpp), "bindAddress"],
  "llamacpp-router": [...Object.keys(llamaCpp), "bindAddress"],
  vllm: ["contextSize", "parallelSlots", "extraArgs", "bindAddress", "vllmConfig"],
  sglang: ["contextSize", "parallelSlots", "extraArgs", "bindAddress", "sglangConfig"],
  tgi: ["contextSize", "extraArgs", "bindAddress", "tgiConfig"],
  personaplex: ["extraArgs", "personaPlexConfig"],
  generic: ["args", "extraArgs"],
  ollama: ["args"],
  omlx: [],
  "mlx-server": [],
  "vllm-swift": [],
};

/** The fields that are some engine's, as they are called in the spec. */
export const engineFields: readonly string[] = [...Object.keys(llamaCpp), ...Object.keys(engineConfigs), "args"];

export const isTakenBy = (runtime: Runtime, field: string): boolean => taken[runtime].includes(field);

type Requested = Pick<Intended, "gpu" | "asked" | "promptCache" | "engineLimits">;

/** What is written and changes nothing, with the reason. */
export function ignoredFields({ spec }: InferenceService, gpu: GpuPlan, requested?: Requested): string[] {
  const { runtime = "llamacpp" } = spec;
  const inert = Object.entries(inertFields)
    .filter(([path]) => isSet(valueAt(spec, path)))
    .map(([path, why]) => `spec.${path}: ${why}`);
  const foreign = engineFields
    .filter((field) => isSet(meaningOf(field, spec)) && !isTakenBy(runtime, field))
    .map((field) => `spec.${field}: runtime ${runtime} does not support it`);
  const limits = limitsOn(spec, requested?.engineLimits ?? []).map(({ field, why }) => `spec.${field}: ${why}`);
  const sharing = spec.resources?.gpuSharing?.mode;
  const unshared = sharing !== undefined && sharing !== "exclusive" && gpuCount(gpu) === 0;
  return [
    ...inert,
    ...foreign,
    ...limits,
    ...(unshared ? ["spec.resources.gpuSharing: no GPU is requested"] : []),
    ...(requested === undefined ? [] : ignoredAnnotations(runtime, requested)),
  ];
}

/** What a service of llama.cpp asks for and the engine of this installation lacks. */
export function limitsOn(spec: Spec, limits: readonly EngineLimit[]): readonly EngineLimit[] {
  const { runtime = "llamacpp" } = spec;
  return limits.filter(({ field, types }) => {
    const value = valueAt(spec, field);
    if (!isTakenBy(runtime, field) || !isSet(value) || isOff(value)) return false;
    return types === undefined || types.includes(String((value as { type?: unknown }).type));
  });
}

/** Annotations that are valid and that this dialect has no place for. */
function ignoredAnnotations(runtime: Runtime, { asked, promptCache }: Requested): string[] {
  const { adapters, isStopped } = asked;
  const lacksAdapters = adapters.length > 0 && engineOf(runtime)?.adapters === undefined;
  const { promptCache: cache, adapters: lora, stopped } = servingAnnotations;
  return [
    ...(lacksAdapters ? [`annotation ${lora}: runtime ${runtime} does not support it`] : []),
    ...(promptCache?.is === "unsupported" ? [`annotation ${cache}: ${promptCache.why}`] : []),
    ...(isStopped === true ? [`annotation ${stopped}: set spec.suspend instead`] : []),
  ];
}

/** The token of any engine's block serves downloads too. */
function meaningOf(field: string, spec: Spec): unknown {
  const value = spec[field as keyof Spec];
  if (!Object.hasOwn(engineConfigs, field) || typeof value !== "object") return value;
  const { hfTokenSecretRef: _, kvCacheDtype: __, ...rest } = value as Record<string, unknown>;
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** Switched off and empty lists are what a spec without the field says. */
const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0);

/** A block that turns its feature off. */
const isOff = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "type" in value && ["none", "disabled"].includes(String(value.type));

const valueAt = (spec: object, path: string): unknown =>
  (path.includes(".") ? path.split(".") : [path]).reduce<unknown>(
    (value, step) => (value as Record<string, unknown> | undefined)?.[step],
    spec,
  );

export type Ignored = {
  readonly reason: "FieldsIgnored" | "InvalidAnnotation" | "NoScalingMetric";
  readonly message: string;
};

/** Everything that is written and not carried out, for the status and for Events. */
export function ignoredBy(
  service: InferenceService,
  requested: Requested,
  observed: ObservedSharedCache = {},
): Ignored[] {
  const fields = ignoredFields(service, requested.gpu, requested);
  const engine = engineOf(service.spec.runtime);
  const isUsed = requested.promptCache?.is === "planned";
  const missing = isUsed ? describeMissingCache(requested.asked, observed) : undefined;
  return [
    // First: a misspelt value has to be corrected, while a field without effect can be meant for another runtime.
    ...(missing === undefined ? [] : [{ reason: "FieldsIgnored", message: missing } as const]),
    ...requested.asked.faults.map((message) => ({ reason: "InvalidAnnotation", message }) as const),
    ...(engine !== undefined && lacksMetric(service.spec, engine)
      ? [{ reason: "NoScalingMetric", message: noMetric(service.spec.runtime) } as const]
      : []),
    ...(fields.length === 0
      ? []
      : [{ reason: "FieldsIgnored", message: `These fields have no effect: ${fields.join("; ")}` } as const]),
  ];
}

const lacksMetric = ({ autoscaling }: Spec, engine: Engine): boolean =>
  autoscaling !== undefined && !hasMetric(autoscaling, engine);

const noMetric = (runtime: Runtime | undefined): string =>
  `spec.autoscaling has no effect: runtime ${runtime} does not report its load, and spec.autoscaling.metrics is empty; add a metric there`;

/** Whether all of the spec is carried out; said only where something is not. */
export function describeIgnored([first, ...more]: readonly Ignored[]): DecidedCondition[] {
  if (first === undefined) return [];
  const message = [first, ...more].map((one) => one.message).join(". ");
  return [{ type: "SpecAccepted", status: "False", reason: first.reason, message }];
}

export const ignoredNotes = (ignored: readonly Ignored[]): Note[] =>
  ignored.map(({ reason, message }) => ({ type: "Warning", reason, message }));
