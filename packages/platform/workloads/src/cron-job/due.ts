import type { CronJob } from "@trivium/kube";
import { type Instant, parseTime } from "@trivium/std";
import type { Schedule } from "./schedule.ts";

/** What a schedule says now. */
export interface Due {
  /** The last time that was due and not served yet. */
  readonly at: Instant | undefined;
  readonly next: Instant | undefined;
  /** More than a hundred turns were missed: somebody should know. */
  readonly isFarBehind: boolean;
}

export function dueOf({ metadata, spec, status }: CronJob, schedule: Schedule, now: Instant): Due {
  const since = parseTime(status?.lastScheduleTime ?? "") ?? parseTime(metadata.creationTimestamp ?? "") ?? now;
  const deadline = spec?.startingDeadlineSeconds;
  const earliest = deadline === undefined ? since : Math.max(since, now - deadline * 1_000);
  const next = schedule.next(now);
  const first = schedule.next(earliest);
  if (first === undefined || first > now) return { at: undefined, next, isFarBehind: false };
  const second = schedule.next(first);
  if (second === undefined || second > now) return { at: first, next, isFarBehind: false };
  const turns = Math.floor((now - first) / (second - first)) + 1;
  return { at: latest(schedule, first + (turns - 2) * (second - first), now) ?? first, next, isFarBehind: turns > 100 };
}

function latest(schedule: Schedule, from: Instant, now: Instant): Instant | undefined {
  let last: Instant | undefined;
  for (let at = schedule.next(from); at !== undefined && at <= now; at = schedule.next(at)) last = at;
  return last;
}
