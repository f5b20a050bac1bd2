import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { CronJob, Job } from "@trivium/kube";
import { cronJobReconciler } from "../src/cron-job/reconciler.ts";
import { jobOrphanReconciler } from "../src/job/orphans.ts";
import { jobReconciler } from "../src/job/reconciler.ts";
import { schedulerReconciler } from "../src/scheduler/reconciler.ts";
import { type ClusterFixture, ref, startFixture } from "./fixture.ts";

async function fixture(context: TestContext): Promise<ClusterFixture> {
  const here = await startFixture(context, {
    reconcilers: [schedulerReconciler, jobReconciler, jobOrphanReconciler, cronJobReconciler],
  });
  await here.node({ name: "a" });
  return here;
}

function cronJob(name: string, spec: Partial<CronJob["spec"]> = {}, stage?: string): CronJob {
  const annotations = stage === undefined ? {} : { "trivium.dev/stage": stage };
  const template = {
    metadata: { annotations },
    spec: { restartPolicy: "Never" as const, containers: [{ name: "main", image: "example/work" }] },
  };
  return {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { namespace: "default", name },
    spec: { schedule: "*/5 * * * *", jobTemplate: { spec: { template } }, ...spec },
  };
}

const jobsOf = async ({ client }: ClusterFixture) =>
  (await client.list(Job, { namespace: "default" })).items.map(({ metadata }) => metadata.name ?? "").sort();

test("a job every five minutes, of which three are kept; nothing while suspended", async (context) => {
  const here = await fixture(context);
  await here.client.create(CronJob, cronJob("often"));
  await here.settle();
  assert.deepEqual(await jobsOf(here), []);
  await here.elapse(30 * 60_000);
  const due = Math.floor(here.clock.now() / 300_000) * 5;
  const names = [due - 10, due - 5, due].map((minute) => `often-${minute}`);
  await here.elapse(30_000);
  assert.deepEqual(await jobsOf(here), names);
  const { status } = await here.client.get(CronJob, ref("often"));
  assert.deepEqual([status?.active, Date.parse(status?.lastScheduleTime ?? "")], [undefined, due * 60_000]);
  const events = await here.events(ref("often"));
  assert.ok(events.includes(`Normal SuccessfulCreate Created job often-${due}`), events.join("\n"));
  assert.ok(
    events.includes(`Normal SawCompletedJob Saw completed job: often-${due}, condition: Complete`),
    events.join("\n"),
  );
  assert.ok(events.includes(`Normal SuccessfulDelete Deleted job often-${due - 15}`), events.join("\n"));
  await here.client.patch(CronJob, ref("often"), { type: "merge", body: { spec: { suspend: true } } });
  await here.elapse(20 * 60_000);
  assert.deepEqual(await jobsOf(here), names);
});

test("what still runs is left alone, replaced, or joined", async (context) => {
  const here = await fixture(context);
  for (const policy of ["Allow", "Forbid", "Replace"] as const) {
    await here.client.create(CronJob, cronJob(policy.toLowerCase(), { concurrencyPolicy: policy }, "serves"));
  }
  await here.settle();
  await here.elapse(11 * 60_000);
  const names = await jobsOf(here);
  assert.deepEqual(
    ["allow", "forbid", "replace"].map((name) => names.filter((job) => job.startsWith(name)).length),
    [2, 1, 1],
  );
  assert.ok((await here.events(ref("forbid"))).some((event) => event.startsWith("Normal JobAlreadyActive ")));
  const { status } = await here.client.get(CronJob, ref("allow"));
  assert.deepEqual(
    status?.active?.map(({ name }) => name).sort(),
    names.filter((job) => job.startsWith("allow")),
  );
});

test("after a long sleep only the last turn is taken, and none that is too late", async (context) => {
  const here = await fixture(context);
  await here.client.create(CronJob, cronJob("late", { suspend: true, schedule: "0 * * * *" }));
  await here.client.create(
    CronJob,
    cronJob("strict", { suspend: true, schedule: "0 * * * *", startingDeadlineSeconds: 60 }),
  );
  await here.settle();
  await here.elapse(5 * 3_600_000 + 600_000);
  for (const name of ["late", "strict"])
    await here.client.patch(CronJob, ref(name), { type: "merge", body: { spec: { suspend: false } } });
  await here.settle();
  const names = await jobsOf(here);
  assert.equal(names.length, 1);
  assert.equal(names[0], `late-${Math.floor(here.clock.now() / 3_600_000) * 60}`);
});
