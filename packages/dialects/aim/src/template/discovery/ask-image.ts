import { diagnose, formatDiagnosis, retryDelay } from "@trivium/engines";
import { formatTime, parseTime } from "@trivium/std";
import { catalogPaths } from "../../field-paths.ts";
import { annotations } from "../../labels.ts";
import type { Template } from "../../objects.ts";
import type { DiscoveryOptions } from "../../options.ts";
import type { ObservedJob, ObservedTemplate } from "../observe.ts";
import { type DiscoveryPlan, discoveryJobName } from "./discovery-job.ts";
import { type DiscoveryResult, parseDiscoveryOutput } from "./discovery-output.ts";
import type { DiscoveryMemory, JobContext, Judgement, Ready, TemplateOutcome } from "./outcome.ts";
import { pullFault } from "./pull-fault.ts";

/** Which image is asked what. */
export interface ImageInput {
  readonly template: Template;
  readonly observed: ObservedTemplate;
  readonly plan: DiscoveryPlan;
  readonly digest: string | undefined;
  /** Its tag was moved since it was asked. */
  readonly isMoved?: true;
}

export const ofImage = (memory: DiscoveryMemory | undefined, digest: string | undefined): DiscoveryMemory => ({
  ...memory,
  ...(digest === undefined ? {} : { imageDigest: digest }),
});

/** What was found stands, and is asked for anew where the tag leads to another image since. */
export function judgeFound(found: Ready, input: ImageInput, { memory, now, options }: JobContext): Judgement {
  const { digest } = input;
  const { refresh, ...answered } = memory;
  if (digest === undefined) return { outcome: found, memory };
  if ((answered.imageDigest ?? digest) === digest) return { outcome: found, memory: ofImage(answered, digest) };
  const { imageDigest: tried, ...tries } = refresh ?? {};
  const before = { specHash: answered.specHash ?? "", ...(tried === digest ? tries : {}) };
  const judged = judgeInput({ ...input, isMoved: true }, { memory: before, now, options });
  if (judged.outcome.is === "ready") return { ...judged, memory: ofImage(judged.memory, digest) };
  const { attempts, lastAttemptTime, lastFailureReason, lastFailureMessage } = judged.memory ?? {};
  const next = {
    imageDigest: digest,
    ...(attempts === undefined ? {} : { attempts }),
    ...(lastAttemptTime === undefined ? {} : { lastAttemptTime }),
    ...(lastFailureReason === undefined ? {} : { lastFailureReason }),
    ...(lastFailureMessage === undefined ? {} : { lastFailureMessage }),
  };
  const { outcome } = judged;
  const isAsking =
    outcome.is === "waiting" || outcome.is === "running" || outcome.is === "stuck" || outcome.is === "failed";
  return {
    ...judged,
    outcome: isAsking ? { ...found, refresh: outcome } : found,
    memory: { ...answered, refresh: next },
  };
}

/** How the Job that asks an image is getting on, or whether one is to be made. */
export function judgeInput(input: ImageInput, { memory, now, options }: JobContext): Judgement {
  const { template, observed, plan, digest, isMoved } = input;
  const name = discoveryJobName(template, plan, {
    attempts: memory.attempts ?? 0,
    moved: isMoved ? digest : undefined,
  });
  const job = observed.jobs.find((one) => one.name === name);
  if (job === undefined && observed.home?.is === "absent") {
    const message =
      "The namespace of the operator, where discovery Jobs of cluster-scoped templates run, was not found; create it";
    return { outcome: { is: "homeless", message }, memory };
  }
  return job === undefined
    ? judgeWithoutJob(template, name, { memory, now, options })
    : judgeJob(job, { memory, now, options, image: plan.image });
}

/** The pod that asks requests nothing: the resources of the template are those of its services. */
const { resources: _, ...discoveryPaths } = catalogPaths;

interface RunContext extends JobContext {
  /** The image that the Job runs. */
  readonly image: string;
}

function judgeWithoutJob(template: Template, name: string, { memory, now, options }: JobContext): Judgement {
  const attempts = memory.attempts ?? 0;
  const last = parseTime(memory.lastAttemptTime ?? "");
  const wait = last === undefined ? 0 : last + retryDelay(attempts) - now;
  if (attempts > 0 && wait > 0) return { ...failedBefore(memory, options), recheckIn: wait };
  if (template.metadata.annotations?.[annotations.discoverySlot] !== name)
    return { outcome: { is: "waiting", job: name }, memory };
  return {
    outcome: { is: "running", job: name, isNew: true, message: `Creating discovery Job ${name}` },
    memory,
  };
}

function failedBefore(memory: DiscoveryMemory, { maxAttempts }: DiscoveryOptions): Judgement {
  const { attempts = 0, lastFailureReason: reason, lastFailureMessage = reason } = memory;
  const outcome: TemplateOutcome = {
    is: "failed",
    reason: reason === "DiscoveryParseFailed" ? reason : "JobFailed",
    message: `${lastFailureMessage} (attempt ${attempts}; retrying automatically)`,
    isFinal: attempts >= maxAttempts,
  };
  return { outcome, memory };
}

function judgeJob(job: ObservedJob, context: RunContext): Judgement {
  const { memory } = context;
  switch (job.is) {
    case "active": {
      const fault = pullFault(job.failure);
      if (fault !== undefined) return { outcome: { is: "stuck", job: job.name, ...fault }, memory };
      const message =
        job.failure === undefined
          ? `Running discovery Job ${job.name}`
          : `Discovery Job ${job.name}: ${formatDiagnosis(diagnose(job.failure, { paths: discoveryPaths }))}`;
      const isRefused = job.failure?.kind === "refused" ? { isRefused: true as const } : {};
      return { outcome: { is: "running", job: job.name, isNew: false, message, ...isRefused }, memory };
    }
    case "failed":
      return afterFailure(job, { reason: "JobFailed", message: `Job ${job.name} failed: ${job.why}` }, context);
    case "complete":
      return judgeLog(job, context);
  }
}

function judgeLog(job: Extract<ObservedJob, { is: "complete" }>, context: RunContext): Judgement {
  const { memory, image } = context;
  const { name } = job;
  const log = job.log.tolerated;
  if (log.is === "pending" || log.is === "unreachable") {
    const message =
      log.is === "pending"
        ? `Reading the log of discovery Job ${name}`
        : `The log of discovery Job ${name} cannot be read yet: ${log.why}`;
    return { outcome: { is: "running", job: name, isNew: false, message }, memory };
  }
  const result: DiscoveryResult =
    log.is === "absent"
      ? { is: "faulty", why: "its pod was deleted before its log was read" }
      : parseDiscoveryOutput(log.value);
  if (result.is === "faulty") {
    const message = `Discovery Job ${name} ran the image with dry-run --format=json, but ${result.why}; correct the image of the model, or set spec.modelSources`;
    return afterFailure(job, { reason: "DiscoveryParseFailed", message }, context);
  }
  const outcome: TemplateOutcome = {
    is: "ready",
    by: "Discovered",
    profile: result.profile,
    sources: result.modelSources,
  };
  return {
    outcome,
    memory: { specHash: memory.specHash ?? "", attempts: 0, lastAttemptTime: formatTime(job.endedAt), image },
  };
}

interface DiscoveryFailure {
  readonly reason: "JobFailed" | "DiscoveryParseFailed";
  readonly message: string;
}

function afterFailure(
  { endedAt }: { readonly endedAt: number },
  { reason, message }: DiscoveryFailure,
  { memory, now, options }: JobContext,
): Judgement {
  const attempts = (memory.attempts ?? 0) + 1;
  const next: DiscoveryMemory = {
    specHash: memory.specHash ?? "",
    attempts,
    lastAttemptTime: formatTime(endedAt),
    lastFailureReason: reason,
    lastFailureMessage: message.slice(0, 1_000),
  };
  const wait = endedAt + retryDelay(attempts) - now;
  return { ...failedBefore(next, options), ...(wait > 0 ? { recheckIn: wait } : {}) };
}
