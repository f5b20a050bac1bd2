import type { CronJob, Job } from "@trivium/kube";
import { type Instant, parseTime } from "@trivium/std";
import { podWarnings } from "../pod-template/warnings.ts";
import { ageOf, formatAge } from "../table/age.ts";
import { containerImages, containerNames, selectorOrNone } from "../table/text.ts";
import { traits } from "../traits.ts";
import { checkCronJob, checkJob } from "./check.ts";
import { defaultCronJob, defaultJob, generateJobSelector } from "./defaults.ts";

export const job = traits<Job>({
  hasGeneration: true,
  defaultPropagation: "Orphan",
  defaults: defaultJob,
  validate: checkJob,
  warnings: ({ spec }) => podWarnings("spec.template.spec", spec.template.spec),
  prepareForCreate: generateJobSelector,
  selectableFields: ["status.successful"],
  cells: {
    Status: statusText,
    Completions: completionsText,
    Duration: durationText,
    Containers: ({ spec }) => containerNames(spec.template),
    Images: ({ spec }) => containerImages(spec.template),
    Selector: ({ spec }) => selectorOrNone(spec.selector),
  },
});

/** The first of these conditions that holds says how a Job stands; a Job being deleted comes before the later ones. */
const endings = ["Complete", "Failed"] as const;
const passing = ["Suspended", "FailureTarget", "SuccessCriteriaMet"] as const;

function statusText(job: Job): string {
  const holds = (type: string): boolean => job.status?.conditions?.find((one) => one.type === type)?.status === "True";
  const ended = endings.find(holds);
  if (ended !== undefined) return ended;
  if (job.metadata.deletionTimestamp !== undefined) return "Terminating";
  return passing.find(holds) ?? "Running";
}

function completionsText({ spec, status }: Job): string {
  const succeeded = status?.succeeded ?? 0;
  if (spec.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationText({ status }: Job, now: Instant): string {
  const start = parseTime(status?.startTime ?? "");
  if (start === undefined) return "";
  return formatAge((parseTime(status?.completionTime ?? "") ?? now) - start);
}

export const cronJob = traits<CronJob>({
  hasGeneration: true,
  defaults: defaultCronJob,
  validate: checkCronJob,
  warnings: ({ spec }) => podWarnings("spec.jobTemplate.spec.template.spec", spec.jobTemplate.spec?.template.spec),
  cells: {
    Schedule: ({ spec }) => spec.schedule,
    Timezone: ({ spec }) => spec.timeZone ?? "<none>",
    Suspend: ({ spec }) => (spec.suspend === undefined ? "<unset>" : spec.suspend ? "True" : "False"),
    Active: ({ status }) => status?.active?.length ?? 0,
    "Last Schedule": ({ status }, now) => (status?.lastScheduleTime ? ageOf(status.lastScheduleTime, now) : "<none>"),
    Containers: ({ spec }) => containerNames(spec.jobTemplate.spec?.template),
    Images: ({ spec }) => containerImages(spec.jobTemplate.spec?.template),
    Selector: ({ spec }) => selectorOrNone(spec.jobTemplate.spec?.selector),
  },
});
