import { hasUnresolved } from "@trivium/reconcile";
import type { Millis } from "@trivium/std";
import { checkGpus, type GpuAvailability } from "../hardware/gpu-availability.ts";
import { type HardwareRequest, hardwareRequestOf } from "../hardware/hardware-request.ts";
import type { Template } from "../objects.ts";
import { type ResolvedConfig, resolveRuntimeConfig } from "../runtime-config/settings/resolve.ts";
import { type ImageInput, judgeFound, judgeInput, ofImage } from "./discovery/ask-image.ts";
import { type DiscoveryPlan, type ModelFacts, planDiscovery } from "./discovery/discovery-job.ts";
import type { Profile } from "./discovery/discovery-output.ts";
import type { DiscoveryMemory, Judgement, LowerContext, Ready, TemplateOutcome } from "./discovery/outcome.ts";
import type { ObservedTemplate } from "./observe.ts";

export type TemplateIntent =
  | { readonly is: "unknown" }
  | { readonly is: "unconfigured"; readonly message: string }
  | {
      readonly is: "judged";
      readonly config: Extract<ResolvedConfig, { is: "resolved" }>;
      readonly request: HardwareRequest;
      readonly gpus: GpuAvailability;
      readonly model: ModelFacts | undefined;
      readonly plan: DiscoveryPlan | undefined;
      readonly outcome: TemplateOutcome;
      readonly memory: DiscoveryMemory | undefined;
      readonly recheckIn?: Millis;
    };

export function lowerTemplate(template: Template, observed: ObservedTemplate, context: LowerContext): TemplateIntent {
  const config = resolveRuntimeConfig(observed.config);
  if (config.is === "unknown" || hasUnresolved(observed)) return { is: "unknown" };
  if (config.is === "missing") return { is: "unconfigured", message: config.message };
  const request = hardwareRequestOf(template.spec);
  const gpus = checkGpus(request, observed.gpus, observed.offered);
  const model = observed.model.is === "known" ? observed.model.value : undefined;
  const plan = model === undefined ? undefined : planDiscovery(template, model, config.settings);
  const judged = judge(template, observed, { ...context, gpus, plan, digest: model?.digest });
  return { is: "judged", config, request, gpus, model, plan, memory: undefined, ...judged };
}

interface JudgeContext extends LowerContext {
  readonly gpus: GpuAvailability;
  readonly plan: DiscoveryPlan | undefined;
  /** What the tag of the image leads to. */
  readonly digest: string | undefined;
}

function judge(template: Template, observed: ObservedTemplate, context: JudgeContext): Judgement {
  const { gpus, plan, digest, now, options } = context;
  const remembered = template.status?.discovery;
  const kept = remembered === undefined ? {} : { memory: remembered };
  if (gpus.is === "unavailable") return { outcome: gpusMissing(gpus), ...kept };
  const inline = template.spec.modelSources ?? [];
  if (inline.length > 0)
    return { outcome: { is: "ready", by: "InlineModelSources", profile: statedProfile(template), sources: inline } };
  if (plan === undefined) {
    const name = template.spec.modelName ?? template.spec.aimImageName;
    const message = `AIMModel or AIMClusterModel ${name} not found; create it`;
    return { outcome: { is: "modelless", message }, ...kept };
  }
  const elsewhere = discoveredElsewhere(template);
  const fresh = { specHash: plan.hash, ...(elsewhere === undefined ? {} : { attempts: 0 }) };
  const memory = remembered?.specHash === plan.hash ? remembered : fresh;
  const found = elsewhere ?? discoveredBefore(template, plan);
  const input: ImageInput = { template, observed, plan, digest };
  if (found !== undefined) return judgeFound(found, input, { memory: { ...memory, image: plan.image }, now, options });
  const judged = judgeInput(input, { memory, now, options });
  return judged.outcome.is === "ready" ? { ...judged, memory: ofImage(judged.memory, digest) } : judged;
}

const gpusMissing = ({ reason, message }: Extract<GpuAvailability, { is: "unavailable" }>): TemplateOutcome => ({
  is: "unavailable",
  reason,
  message,
});

/** What the spec says stands in for what an image would say. */
function statedProfile({ spec }: Template): Profile {
  const { count, models } = hardwareRequestOf(spec);
  return {
    metadata: {
      ...(models.length === 1 ? { gpu: models[0] as string } : {}),
      ...(count === undefined ? {} : { gpuCount: count }),
      ...(spec.metric === undefined ? {} : { metric: spec.metric }),
      ...(spec.precision === undefined ? {} : { precision: spec.precision }),
      ...(spec.type === undefined ? {} : { type: spec.type }),
    },
  };
}

/** Another operator of this API has asked the image about this very spec; it does not record the question. */
function discoveredElsewhere({ metadata, status }: Template): Ready | undefined {
  const { discovery, profile, modelSources = [], observedGeneration = metadata.generation } = status ?? {};
  const state = status?.status as string | undefined;
  // The older documents call it available.
  const isAnswered = (state === "Ready" || state === "Available") && profile !== undefined && modelSources.length > 0;
  if (!isAnswered || discovery !== undefined || observedGeneration !== metadata.generation) return undefined;
  return { is: "ready", by: "Discovered", profile, sources: modelSources };
}

/** The Job that found it out is long gone; as long as the question is the same, so is the answer. */
function discoveredBefore({ status }: Template, { hash }: DiscoveryPlan): Ready | undefined {
  const { discovery, profile, modelSources = [] } = status ?? {};
  // Only an answer sets the count of failures to zero; without one, the profile is that of another question.
  if (discovery?.specHash !== hash || discovery.attempts !== 0 || profile === undefined) return undefined;
  return { is: "ready", by: "Discovered", profile, sources: modelSources };
}
