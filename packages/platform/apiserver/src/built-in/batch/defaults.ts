import type { api } from "@trivium/kube";
import { deepEqual } from "@trivium/std";
import { defaultPodTemplate } from "../pod-template/default-spec.ts";

export function defaultJob(job: api.Job): void {
  const { spec } = job;
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2147483647;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.manualSelector ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed";
  for (const rule of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of rule.onPodConditions ?? []) pattern.status ||= "True";
  }
  spec.template ??= {};
  const labels = spec.template.metadata?.labels;
  if (labels && Object.keys(job.metadata.labels ?? {}).length === 0) job.metadata.labels = { ...labels };
  defaultPodTemplate(spec.template);
}

export function defaultCronJob({ spec }: api.CronJob): void {
  spec.concurrencyPolicy ||= "Allow";
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
  spec.jobTemplate ??= {};
  spec.jobTemplate.spec ??= { template: {} };
  spec.jobTemplate.spec.template ??= {};
  for (const rule of spec.jobTemplate.spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of rule.onPodConditions ?? []) pattern.status ||= "True";
  }
  defaultPodTemplate(spec.jobTemplate.spec.template);
}

const oldPrefix = "";
const newPrefix = "batch.kubernetes.io/";

/** A Job finds its pods by its own uid, unless the writer took that on with `manualSelector`. */
export function generateJobSelector(job: api.Job): void {
  const { spec, metadata } = job;
  if (spec.manualSelector || metadata.uid === undefined) return;
  const sharesLabels = deepEqual(metadata.labels ?? {}, spec.template.metadata?.labels ?? {});
  spec.template.metadata ??= {};
  const labels = { ...spec.template.metadata.labels };
  for (const prefix of [oldPrefix, newPrefix]) {
    labels[`${prefix}controller-uid`] ??= metadata.uid;
    labels[`${prefix}job-name`] ??= metadata.name ?? "";
  }
  spec.template.metadata.labels = labels;
  if (sharesLabels) metadata.labels = { ...labels };
  spec.selector ??= {};
  spec.selector.matchLabels = { ...spec.selector.matchLabels };
  spec.selector.matchLabels[`${newPrefix}controller-uid`] ??= metadata.uid;
}
