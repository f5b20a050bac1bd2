import type { api, CronJob, Job } from "@trivium/kube";
import { type FieldError, invalid, notSupported, required } from "@trivium/schema";
import { cloneJson, deepEqual, type Json } from "@trivium/std";
import { checkSelector, selects } from "../checks/labels.ts";
import { restore } from "../checks/restore.ts";
import { immutable, nonNegative, oneOf } from "../checks/values.ts";
import { checkPodTemplate } from "../pod-template/check-spec.ts";
import { checkFailurePolicy } from "./check-failure-policy.ts";
import { faultOfSchedule } from "./schedule.ts";

export function checkJob(job: Job, old?: Job): FieldError[] {
  const { spec } = job;
  const labels = spec.template.metadata?.labels;
  const matches = selects(spec.selector, labels) !== false;
  return [
    ...checkGenerated(job),
    ...checkJobSpec("spec", spec),
    ...(spec.selector === undefined ? [required("spec.selector")] : checkSelector("spec.selector", spec.selector)),
    ...(matches
      ? []
      : [invalid("spec.template.metadata.labels", labels ?? null, "`selector` does not match template `labels`")]),
    ...(old === undefined ? [] : checkJobChange(job, old)),
  ];
}

/** Labels by which a Job finds its pods; only the server gives them, unless the writer took that on. */
function checkGenerated({ metadata, spec }: Job): FieldError[] {
  if (spec.manualSelector || spec.selector === undefined || metadata.uid === undefined) return [];
  const expected: Record<string, string> = {};
  for (const prefix of ["", "batch.kubernetes.io/"]) {
    expected[`${prefix}controller-uid`] = metadata.uid;
    expected[`${prefix}job-name`] = metadata.name ?? "";
  }
  const at = "spec.template.metadata.labels";
  const labels = spec.template.metadata?.labels ?? {};
  const faults = Object.entries(expected).flatMap(([name, value]) => {
    if (labels[name] === undefined) return [required(`${at}[${name}]`, `must be '${value}'`)];
    return labels[name] === value ? [] : [invalid(`${at}[${name}]`, labels, `must be '${value}'`)];
  });
  if (selects(spec.selector, expected) !== false) return faults;
  return [...faults, invalid("spec.selector", spec.selector as Json, "`selector` not auto-generated")];
}

const counts = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes",
] as const;

function checkJobSpec(at: string, spec: api.JobSpec): FieldError[] {
  return [
    ...counts.flatMap((field) => nonNegative(`${at}.${field}`, spec[field])),
    ...checkMode(at, spec),
    ...checkFailurePolicy(`${at}.podFailurePolicy`, spec),
    ...oneOf(
      `${at}.podReplacementPolicy`,
      spec.podReplacementPolicy,
      spec.podFailurePolicy ? ["Failed"] : ["Failed", "TerminatingOrFailed"],
    ),
    ...checkPodTemplate(`${at}.template`, spec.template),
    ...checkEnds(`${at}.template.spec.restartPolicy`, spec),
  ];
}

const maxParallel = 100000;

function checkMode(at: string, spec: api.JobSpec): FieldError[] {
  const { completionMode = "NonIndexed", completions, parallelism, backoffLimitPerIndex, maxFailedIndexes } = spec;
  const faults = oneOf(`${at}.completionMode`, completionMode, ["NonIndexed", "Indexed"]);
  if (completionMode === "Indexed") {
    if (completions === undefined) faults.push(required(`${at}.completions`, "when completion mode is Indexed"));
    if (parallelism !== undefined && parallelism > maxParallel) {
      const detail = `must be less than or equal to ${maxParallel} when completion mode is Indexed`;
      faults.push(invalid(`${at}.parallelism`, parallelism, detail));
    }
    return faults;
  }
  if (completionMode !== "NonIndexed") return faults;
  for (const [field, value] of Object.entries({ backoffLimitPerIndex, maxFailedIndexes })) {
    if (value !== undefined) faults.push(invalid(`${at}.${field}`, value, "requires indexed completion mode"));
  }
  return faults;
}

/** A Job's pods come to an end. */
function checkEnds(at: string, { template, podFailurePolicy }: api.JobSpec): FieldError[] {
  const policy = template.spec?.restartPolicy ?? "";
  if (policy === "Always" || policy === "") return [required(at, 'valid values: "OnFailure", "Never"')];
  if (policy !== "OnFailure" && policy !== "Never") return [notSupported(at, policy, ["OnFailure", "Never"])];
  if (podFailurePolicy === undefined || policy === "Never") return [];
  return [invalid(at, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}

const fixedFields = [
  "completionMode",
  "podFailurePolicy",
  "backoffLimitPerIndex",
  "managedBy",
  "successPolicy",
] as const;

function checkJobChange({ spec }: Job, before: Job): FieldError[] {
  const old = before.spec;
  return [
    ...(spec.completionMode === "Indexed"
      ? checkTandem(spec, old)
      : immutable("spec.completions", spec.completions, old.completions)),
    ...immutable("spec.selector", spec.selector, old.selector),
    ...(old.suspend ? checkSuspended(spec, before) : immutable("spec.template", spec.template, old.template)),
    ...fixedFields.flatMap((field) => immutable(`spec.${field}`, spec[field], old[field])),
  ];
}

/** While a Job waits, its pods may be given other resources, and other places before they ran for the first time. */
function checkSuspended({ template }: api.JobSpec, { spec: old, status }: Job): FieldError[] {
  const next = cloneJson(template.spec ?? { containers: [] });
  const before = old.template.spec ?? { containers: [] };
  if (status?.startTime === undefined) {
    for (const field of ["nodeSelector", "tolerations", "schedulingGates", "affinity"] as const)
      restore(next, before, field);
  }
  for (const kind of ["containers", "initContainers"] as const) {
    for (const [index, container] of (next[kind] ?? []).entries()) {
      const was = before[kind]?.[index];
      if (was?.name === container.name) restore(container, was, "resources");
    }
  }
  return deepEqual(next, before) ? [] : immutable("spec.template.spec", template.spec, before);
}

function checkTandem({ completions, parallelism }: api.JobSpec, old: api.JobSpec): FieldError[] {
  if (completions === old.completions || completions === undefined || completions === parallelism) return [];
  return [invalid("spec.completions", completions, "can only be modified in tandem with spec.parallelism")];
}

const longestName = 52;

export function checkCronJob({ metadata, spec }: CronJob, old?: CronJob): FieldError[] {
  const { name = "" } = metadata;
  const isLong = old === undefined && name.length > longestName;
  return [
    ...checkSchedule(spec),
    ...nonNegative("spec.startingDeadlineSeconds", spec.startingDeadlineSeconds),
    ...(spec.timeZone === old?.spec.timeZone ? [] : checkTimeZone(spec.timeZone)),
    ...oneOf("spec.concurrencyPolicy", spec.concurrencyPolicy, ["Allow", "Forbid", "Replace"]),
    ...checkJobTemplate("spec.jobTemplate.spec", spec.jobTemplate.spec),
    ...nonNegative("spec.successfulJobsHistoryLimit", spec.successfulJobsHistoryLimit),
    ...nonNegative("spec.failedJobsHistoryLimit", spec.failedJobsHistoryLimit),
    ...(isLong ? [invalid("metadata.name", name, `must be no more than ${longestName} characters`)] : []),
  ];
}

function checkSchedule({ schedule }: api.CronJobSpec): FieldError[] {
  const at = "spec.schedule";
  if (!schedule) return [required(at)];
  const fault = faultOfSchedule(schedule);
  return [
    ...(fault === undefined ? [] : [invalid(at, schedule, fault)]),
    ...(schedule.includes("TZ")
      ? [invalid(at, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")]
      : []),
  ];
}

function checkTimeZone(zone: string | undefined): FieldError[] {
  if (zone === undefined) return [];
  const at = "spec.timeZone";
  if (zone === "") return [invalid(at, zone, "timeZone must be nil or non-empty string")];
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return [];
  } catch {
    return [invalid(at, zone, `unknown time zone ${zone}`)];
  }
}

function checkJobTemplate(at: string, spec: api.JobSpec | undefined): FieldError[] {
  if (spec === undefined) return [];
  const { selector } = spec;
  return [
    ...checkJobSpec(at, spec),
    ...(selector === undefined
      ? []
      : [invalid(`${at}.selector`, selector as Json, "`selector` will be auto-generated")]),
    ...(spec.manualSelector ? [notSupported(`${at}.manualSelector`, true, ["nil", "false"])] : []),
  ];
}
