import { type api, CronJob, controllerOf, Job } from "@trivium/kube";
import type { Desired, Note, Reconciler } from "@trivium/reconcile";
import { formatTime, type Instant, parseTime } from "@trivium/std";
import { isOver } from "../job/index.ts";
import { byName } from "../pods/claim.ts";
import { type Due, dueOf } from "./due.ts";
import { parseSchedule } from "./schedule.ts";
import { formatIn, zoneOf } from "./time-zone.ts";

export interface ObservedCronJob {
  /** Jobs that belong to it, whoever made them. */
  readonly jobs: readonly Job[];
}

type Status = NonNullable<CronJob["status"]>;
const scheduledKey = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/** Makes a job whenever one is due, and clears away those of the past. */
export const cronJobReconciler: Reconciler<CronJob, ObservedCronJob, typeof Job> = {
  name: "cronjob-controller",
  kind: CronJob,
  reads: [],
  writes: [Job],
  controls: [Job],
  hasPlainConditions: true,
  observe(cron, reader) {
    const { namespace, uid = "" } = cron.metadata;
    const jobs = reader.list(Job, { namespace, owner: uid }).filter((job) => controllerOf(job)?.uid === uid);
    return { jobs };
  },
  decide(cron, { jobs }, now) {
    const turn = turnOf(cron, jobs, now);
    const leaving = [...historyOf(cron, jobs), ...(turn.is === "start" ? turn.replaced : [])];
    const kept = jobs.filter((job) => !leaving.includes(job)).toSorted(byName);
    return {
      do: "converge",
      children: [
        ...kept.map((job): Desired => ({ kind: Job, object: job, keep: true })),
        ...(turn.is === "start" && !turn.isThere ? [newJob(cron, turn.at)] : []),
      ],
      status: statusOf(cron, kept, turn),
      notes: [...changesOf(cron, jobs), ...leaving.toSorted(byName).map(deleted), ...turn.notes],
      ...(turn.next === undefined ? {} : { recheckIn: turn.next - now }),
    };
  },
};

type Turn = { readonly notes: readonly Note[]; readonly next: Instant | undefined } & (
  | { readonly is: "rest" }
  | { readonly is: "start"; readonly at: Instant; readonly isThere: boolean; readonly replaced: readonly Job[] }
);

function turnOf(cron: CronJob, jobs: readonly Job[], now: Instant): Turn {
  const { schedule = "", timeZone, suspend } = cron.spec ?? {};
  if (suspend) return { is: "rest", notes: [], next: undefined };
  const parsed = parseSchedule(schedule, timeZone);
  if (typeof parsed === "string") {
    const message = `unparseable schedule: ${JSON.stringify(schedule)} : ${parsed}`;
    return { is: "rest", notes: [{ type: "Warning", reason: "UnparseableSchedule", message }], next: undefined };
  }
  const due = dueOf(cron, parsed, now);
  if (due.at === undefined && due.next === undefined) {
    const message = `invalid schedule: ${schedule} : time difference between two schedules is less than 1 second`;
    return { is: "rest", notes: [{ type: "Warning", reason: "InvalidSchedule", message }], next: undefined };
  }
  if (due.at === undefined) return { is: "rest", notes: [], next: due.next };
  return takeTurn(cron, jobs, { ...due, at: due.at }, now);
}

const manyMissed = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";
const forbidden = "Not starting job because prior execution is running and concurrency policy is Forbid";

function takeTurn(
  cron: CronJob,
  jobs: readonly Job[],
  { at, next, isFarBehind }: Due & { at: Instant },
  now: Instant,
): Turn {
  const { startingDeadlineSeconds, concurrencyPolicy } = cron.spec ?? {};
  const behind: Note[] = isFarBehind ? [{ type: "Warning", reason: "TooManyMissedTimes", message: manyMissed }] : [];
  const rest = (...notes: Note[]): Turn => ({ is: "rest", notes: [...behind, ...notes], next });
  if (startingDeadlineSeconds !== undefined && at + startingDeadlineSeconds * 1_000 < now) {
    const when = new Date(at).toUTCString().replace("GMT", "+0000");
    return rest({ type: "Warning", reason: "MissSchedule", message: `Missed scheduled time to start a job: ${when}` });
  }
  if (parseTime(cron.status?.lastScheduleTime ?? "") === at) return rest();
  const active = jobs.filter((job) => isScheduled(job) && !isOver(job));
  const isThere = jobs.some(({ metadata }) => metadata.name === jobName(cron, at));
  const others = active.filter(({ metadata }) => metadata.name !== jobName(cron, at));
  if (concurrencyPolicy === "Forbid" && others.length > 0 && !isThere) {
    return rest({ type: "Normal", reason: "JobAlreadyActive", message: forbidden });
  }
  return { is: "start", at, isThere, replaced: concurrencyPolicy === "Replace" ? others : [], notes: behind, next };
}

const jobName = ({ metadata }: CronJob, at: Instant): string => `${metadata.name}-${Math.floor(at / 60_000)}`;

/** Made by a schedule, and not by a person from the template. */
const isScheduled = ({ metadata }: Job): boolean => metadata.annotations?.[scheduledKey] !== undefined;

function newJob(cron: CronJob, at: Instant): Desired<Job> {
  const { metadata, spec } = cron.spec?.jobTemplate ?? {};
  const zone = zoneOf(cron.spec?.timeZone) ?? (() => 0);
  const name = jobName(cron, at);
  const object: Job = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name,
      ...(metadata?.labels === undefined ? {} : { labels: metadata.labels }),
      annotations: { ...metadata?.annotations, [scheduledKey]: formatIn(zone, at) },
    },
    spec: spec ?? { template: {} },
  };
  return {
    kind: Job,
    object,
    createOnly: true,
    events: {
      made: { type: "Normal", reason: "SuccessfulCreate", message: `Created job ${name}` },
      failed: { type: "Warning", reason: "FailedCreate", message: "Error creating job: " },
    },
  };
}

/** The oldest of the past, beyond what is to be kept of successes and of failures. */
function historyOf({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const beyond = (type: string, limit: number | undefined) => {
    const ended = jobs.filter((job) => endOf(job) === type).sort(byStart);
    return limit === undefined ? [] : ended.slice(0, Math.max(0, ended.length - limit));
  };
  return [
    ...beyond("Complete", spec?.successfulJobsHistoryLimit ?? 3),
    ...beyond("Failed", spec?.failedJobsHistoryLimit ?? 1),
  ];
}

function endOf({ status }: Job): string | undefined {
  const isEnd = ({ type, status: state }: api.JobCondition) =>
    (type === "Complete" || type === "Failed") && state === "True";
  return status?.conditions?.find(isEnd)?.type;
}

function byStart(a: Job, b: Job): number {
  const [left, right] = [a.status?.startTime ?? "9999", b.status?.startTime ?? "9999"];
  return left < right ? -1 : left > right ? 1 : byName(a, b);
}

function deleted({ metadata }: Job): Note {
  return { type: "Normal", reason: "SuccessfulDelete", message: `Deleted job ${metadata.name}` };
}

/** What became of the jobs that were active when this was last decided, and jobs that nobody planned. */
function changesOf({ status }: CronJob, jobs: readonly Job[]): readonly Note[] {
  const byUid = new Map(jobs.map((job) => [job.metadata.uid, job]));
  const ended = (status?.active ?? []).flatMap(({ uid, name }): Note[] => {
    const job = byUid.get(uid);
    if (job === undefined)
      return [{ type: "Normal", reason: "MissingJob", message: `Active job went missing: ${name}` }];
    const end = endOf(job);
    const message = `Saw completed job: ${name}, condition: ${end}`;
    return end === undefined ? [] : [{ type: "Normal", reason: "SawCompletedJob", message }];
  });
  const unplanned = jobs.filter((job) => !isScheduled(job) && !isOver(job)).toSorted(byName);
  return [
    ...ended,
    ...unplanned.map(({ metadata }): Note => {
      const message = `Saw a job that the controller did not create or forgot: ${metadata.name}`;
      return { type: "Warning", reason: "UnexpectedJob", message };
    }),
  ];
}

function statusOf(cron: CronJob, jobs: readonly Job[], turn: Turn): Status {
  const known = new Map((cron.status?.active ?? []).map((ref) => [ref.uid, ref]));
  const active = jobs
    .filter((job) => isScheduled(job) && !isOver(job))
    .map((job) => known.get(job.metadata.uid) ?? refOf(job));
  const successes = jobs.filter((job) => endOf(job) === "Complete").map(({ status }) => status?.completionTime ?? "");
  const lastSuccessfulTime = [cron.status?.lastSuccessfulTime ?? "", ...successes].sort().at(-1);
  const lastScheduleTime = turn.is === "start" ? formatTime(turn.at) : cron.status?.lastScheduleTime;
  return {
    ...(active.length === 0 ? {} : { active }),
    ...(lastScheduleTime === undefined ? {} : { lastScheduleTime }),
    ...(lastSuccessfulTime ? { lastSuccessfulTime } : {}),
  };
}

function refOf({ metadata }: Job): api.ObjectReference {
  const { namespace = "", name = "", uid = "", resourceVersion = "" } = metadata;
  return { apiVersion: "batch/v1", kind: "Job", namespace, name, uid, resourceVersion };
}
