import assert from "node:assert/strict";
import { test } from "node:test";
import type { CronJob, Job } from "@trivium/kube";
import { violationsOf } from "@trivium/testkit";
import { cronJobReconciler } from "./reconciler.ts";

const cron = (spec: Partial<CronJob["spec"]> = {}, status: NonNullable<CronJob["status"]> = {}): CronJob => ({
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { name: "often", namespace: "default", uid: "cron", creationTimestamp: "2026-01-01T00:00:00Z" },
  spec: { schedule: "*/10 * * * *", jobTemplate: { spec: { template: {} } }, ...spec },
  status,
});
const job = (minutes: number, end?: "Complete" | "Failed"): Job => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: {
    name: `often-${minutes}`,
    namespace: "default",
    uid: `job-${minutes}`,
    annotations: { "batch.kubernetes.io/cronjob-scheduled-timestamp": "x" },
  },
  spec: { template: {} },
  status: {
    startTime: new Date(minutes * 60_000).toISOString(),
    ...(end === undefined ? {} : { conditions: [{ type: end, status: "True" }] }),
  },
});
const at = (text: string) => Date.parse(`2026-01-01T${text}Z`);
const minutes = Math.floor(at("00:10:00") / 60_000);

test("names count minutes, times are those of the zone", () => {
  const decision = cronJobReconciler.decide(cron({ timeZone: "Asia/Kolkata" }), { jobs: [] }, at("00:12:00"));
  const [made] = decision.do === "converge" ? decision.children : [];
  assert.equal(made?.object.metadata.name, `often-${minutes}`);
  assert.equal(
    made?.object.metadata.annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"],
    "2026-01-01T05:40:00+05:30",
  );
  assert.deepEqual(decision.do === "converge" && decision.status, { lastScheduleTime: "2026-01-01T00:10:00Z" });
});

test("one of three failures and three of five successes stay, the newest", () => {
  const jobs = [1, 2, 3, 4, 5].map((n) => job(n, "Complete")).concat([6, 7, 8].map((n) => job(n, "Failed")));
  const decision = cronJobReconciler.decide(cron({ suspend: true }), { jobs }, at("00:12:00"));
  assert.deepEqual(decision.do === "converge" && decision.children.map(({ object }) => object.metadata.name), [
    "often-3",
    "often-4",
    "often-5",
    "often-8",
  ]);
});

test("the laws", () => {
  const lastScheduleTime = "2026-01-01T00:10:00Z";
  const now = at("00:12:00");
  const cases = [
    {
      name: "resting",
      object: cron({}, { lastScheduleTime }),
      observed: { jobs: [job(minutes, "Complete"), job(minutes - 10, "Failed")] },
      now,
    },
    { name: "first turn", object: cron(), observed: { jobs: [] }, now: at("00:09:00") },
    { name: "suspended", object: cron({ suspend: true }), observed: { jobs: [job(minutes)] }, now },
    { name: "unreadable", object: cron({ schedule: "nonsense" }), observed: { jobs: [] }, now },
  ];
  assert.deepEqual(violationsOf(cronJobReconciler, cases, { conditions: {}, notes: ["UnparseableSchedule"] }), []);
});
