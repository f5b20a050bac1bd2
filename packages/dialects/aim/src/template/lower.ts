import { retryDelay } from "@trivium/engines";
import { formatTime, type Instant, type Millis, parseTime } from "@trivium/std";
import { checkGpus, type GpuAvailability } from "../hardware/gpu-availability.ts";
import { type HardwareWish, hardwareWishOf } from "../hardware/hardware-wish.ts";
import { annotations } from "../labels.ts";
import type { Template, TemplateStatus } from "../objects.ts";
import type { DiscoveryOptions } from "../options.ts";
import { type ResolvedConfig, resolveRuntimeConfig } from "../runtime-config/resolve.ts";
import { type DiscoveryPlan, discoveryJobName, type ModelFacts, planDiscovery } from "./discovery-job.ts";
import { type DiscoveryResult, type Profile, parseDiscoveryOutput } from "./discovery-output.ts";
import type { JobSeen, TemplateSeen } from "./observe.ts";
import { pullFault } from "./pull-fault.ts";

type Sources = NonNullable<TemplateStatus["modelSources"]>;
export type DiscoveryMemory = NonNullable<TemplateStatus["discovery"]>;

/** Where a template stands. */
export type TemplateVerdict =
  | {
      readonly is: "ready";
      readonly by: "Discovered" | "InlineModelSources";
      readonly profile: Profile;
      readonly sources: Sources;
    }
  | {
      readonly is: "unavailable";
      readonly reason: Extract<GpuAvailability, { is: "unavailable" }>["reason"];
      readonly message: string;
    }
  | { readonly is: "modelless"; readonly message: string }
  /** There is nowhere to run a Job. */
  | { readonly is: "homeless"; readonly message: string }
  /** A Job should run; it may not yet. */
  | { readonly is: "waiting"; readonly job: string }
  | { readonly is: "running"; readonly job: string; readonly isNew: boolean; readonly message: string }
  | {
      readonly is: "stuck";
      readonly job: string;
      readonly reason: "ImagePullAuthFailure" | "ImageNotFound" | "ImagePullBackOff";
      readonly message: string;
    }
  | {
      readonly is: "failed";
      readonly reason: "JobFailed" | "DiscoveryParseFailed";
      readonly message: string;
      readonly isFinal: boolean;
    };

export type TemplateIntent =
  | { readonly is: "unknown" }
  | { readonly is: "unconfigured"; readonly message: string }
  | {
      readonly is: "judged";
      readonly config: Extract<ResolvedConfig, { is: "resolved" }>;
      readonly wish: HardwareWish;
      readonly gpus: GpuAvailability;
      readonly model: ModelFacts | undefined;
      readonly plan: DiscoveryPlan | undefined;
      readonly verdict: TemplateVerdict;
      readonly memory: DiscoveryMemory | undefined;
      readonly recheckIn?: Millis;
    };

interface Judgement {
  readonly verdict: TemplateVerdict;
  readonly memory?: DiscoveryMemory;
  readonly recheckIn?: Millis;
}

export interface LowerContext {
  readonly now: Instant;
  readonly options: DiscoveryOptions;
}

export function lowerTemplate(template: Template, seen: TemplateSeen, context: LowerContext): TemplateIntent {
  const config = resolveRuntimeConfig(seen.config);
  const isDark = seen.model.is === "pending" || seen.model.is === "unreachable";
  if (config.is === "unknown" || isDark) return { is: "unknown" };
  if (config.is === "missing") return { is: "unconfigured", message: config.message };
  const wish = hardwareWishOf(template.spec);
  const gpus = checkGpus(wish, seen.gpus);
  const model = seen.model.is === "known" ? seen.model.value : undefined;
  const plan = model === undefined ? undefined : planDiscovery(template, model, config.settings);
  const judged = judge(template, seen, { ...context, gpus, plan });
  return { is: "judged", config, wish, gpus, model, plan, memory: undefined, ...judged };
}

interface JudgeContext extends LowerContext {
  readonly gpus: GpuAvailability;
  readonly plan: DiscoveryPlan | undefined;
}

function judge(template: Template, seen: TemplateSeen, { gpus, plan, now, options }: JudgeContext): Judgement {
  const remembered = template.status?.discovery;
  const kept = remembered === undefined ? {} : { memory: remembered };
  if (gpus.is === "unavailable") return { verdict: gpusMissing(gpus), ...kept };
  const inline = template.spec.modelSources ?? [];
  if (inline.length > 0)
    return { verdict: { is: "ready", by: "InlineModelSources", profile: statedProfile(template), sources: inline } };
  if (plan === undefined) {
    const name = template.spec.modelName ?? template.spec.aimImageName;
    const message = `There is no model ${name}; create an AIMModel or an AIMClusterModel of that name`;
    return { verdict: { is: "modelless", message }, ...kept };
  }
  const memory = remembered?.specHash === plan.hash ? remembered : { specHash: plan.hash };
  const found = discoveredBefore(template, plan);
  if (found !== undefined) return { verdict: found, memory };
  const name = discoveryJobName(template, plan, memory.attempts ?? 0);
  const job = seen.jobs.find((one) => one.name === name);
  if (job === undefined && seen.home?.is === "absent") {
    const message =
      "Jobs of cluster-wide templates run in the namespace of the operator, which is not there; create it";
    return { verdict: { is: "homeless", message }, memory };
  }
  return job === undefined
    ? judgeWithoutJob(template, name, { memory, now, options })
    : judgeJob(job, { memory, now, options });
}

const gpusMissing = ({ reason, message }: Extract<GpuAvailability, { is: "unavailable" }>): TemplateVerdict => ({
  is: "unavailable",
  reason,
  message,
});

/** What the spec says stands in for what an image would say. */
function statedProfile({ spec }: Template): Profile {
  const { count, models } = hardwareWishOf(spec);
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

/** The Job that found it out is long gone; as long as the question is the same, so is the answer. */
function discoveredBefore({ status }: Template, { hash }: DiscoveryPlan): TemplateVerdict | undefined {
  const { discovery, profile, modelSources = [] } = status ?? {};
  // Only an answer sets the count of failures to zero; without one, the profile is that of another question.
  if (discovery?.specHash !== hash || discovery.attempts !== 0 || profile === undefined) return undefined;
  return { is: "ready", by: "Discovered", profile, sources: modelSources };
}

interface JobContext extends LowerContext {
  readonly memory: DiscoveryMemory;
}

function judgeWithoutJob(template: Template, name: string, { memory, now, options }: JobContext): Judgement {
  const attempts = memory.attempts ?? 0;
  const last = parseTime(memory.lastAttemptTime ?? "");
  const wait = last === undefined ? 0 : last + retryDelay(attempts) - now;
  if (attempts > 0 && wait > 0) return { ...failedBefore(memory, options), recheckIn: wait };
  if (template.metadata.annotations?.[annotations.discoverySlot] !== name)
    return { verdict: { is: "waiting", job: name }, memory };
  return {
    verdict: { is: "running", job: name, isNew: true, message: "A Job is made to look into the image" },
    memory,
  };
}

function failedBefore(memory: DiscoveryMemory, { mostAttempts }: DiscoveryOptions): Judgement {
  const { attempts = 0, lastFailureReason = "" } = memory;
  const [reason = "JobFailed", ...words] = lastFailureReason.split(": ");
  const verdict: TemplateVerdict = {
    is: "failed",
    reason: reason === "DiscoveryParseFailed" ? reason : "JobFailed",
    message: `${words.join(": ")}; tried ${attempts} times, and tried again by itself`,
    isFinal: attempts >= mostAttempts,
  };
  return { verdict, memory };
}

function judgeJob(job: JobSeen, context: JobContext): Judgement {
  const { memory } = context;
  switch (job.is) {
    case "active": {
      const fault = pullFault(job.trouble);
      if (fault !== undefined) return { verdict: { is: "stuck", job: job.name, ...fault }, memory };
      const message =
        job.trouble === undefined ? "A Job looks into the image" : `A Job looks into the image; ${job.trouble.message}`;
      return { verdict: { is: "running", job: job.name, isNew: false, message }, memory };
    }
    case "failed":
      return afterFailure(job.endedAt, `JobFailed: Job ${job.name} failed: ${job.why}`, context);
    case "complete":
      return judgeLog(job, context);
  }
}

function judgeLog(job: Extract<JobSeen, { is: "complete" }>, context: JobContext): Judgement {
  const { memory } = context;
  const { log, name } = job;
  if (log.is === "pending" || log.is === "unreachable") {
    const message =
      log.is === "pending"
        ? "The log of the Job is being read"
        : `The log of Job ${name} cannot be read yet: ${log.why}`;
    return { verdict: { is: "running", job: name, isNew: false, message }, memory };
  }
  const result: DiscoveryResult =
    log.is === "absent"
      ? { is: "faulty", why: "its pod is gone, and with it the log" }
      : parseDiscoveryOutput(log.value);
  if (result.is === "faulty") {
    const why = `DiscoveryParseFailed: The image was asked what it needs, but ${result.why}; Job ${name} ran it with dry-run --format=json`;
    return afterFailure(job.endedAt, why, context);
  }
  const verdict: TemplateVerdict = {
    is: "ready",
    by: "Discovered",
    profile: result.profile,
    sources: result.modelSources,
  };
  return {
    verdict,
    memory: { specHash: memory.specHash ?? "", attempts: 0, lastAttemptTime: formatTime(job.endedAt) },
  };
}

function afterFailure(endedAt: number, why: string, { memory, now, options }: JobContext): Judgement {
  const attempts = (memory.attempts ?? 0) + 1;
  const next: DiscoveryMemory = {
    specHash: memory.specHash ?? "",
    attempts,
    lastAttemptTime: formatTime(endedAt),
    lastFailureReason: why.slice(0, 1_000),
  };
  const wait = endedAt + retryDelay(attempts) - now;
  return { ...failedBefore(next, options), ...(wait > 0 ? { recheckIn: wait } : {}) };
}
