import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { isReason, Job, Pod } from "@trivium/kube";
import { jobOrphanReconciler } from "../src/job/orphans.ts";
import { jobReconciler } from "../src/job/reconciler.ts";
import { jobTtlReconciler } from "../src/job/ttl.ts";
import { schedulerReconciler } from "../src/scheduler/reconciler.ts";
import { type ClusterFixture, ref, startFixture } from "./fixture.ts";

async function fixture(context: TestContext): Promise<ClusterFixture> {
  const here = await startFixture(context, {
    reconcilers: [schedulerReconciler, jobReconciler, jobOrphanReconciler, jobTtlReconciler],
  });
  await here.node({ name: "a" });
  return here;
}

function job(name: string, spec: Partial<Job["spec"]> = {}, stage?: string): Job {
  const annotations = stage === undefined ? {} : { "trivium.dev/stage": stage };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: ref(name) as { namespace: string; name: string },
    spec: {
      template: {
        metadata: { annotations },
        spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example/work" }] },
      },
      ...spec,
    },
  };
}

async function statusOf({ client }: ClusterFixture, name: string) {
  const { status = {} } = await client.get(Job, ref(name));
  const { conditions = [], startTime: _, completionTime, ...counters } = status;
  return {
    conditions: conditions.map(({ type, reason }) => `${type} ${reason}`),
    counters,
    isComplete: completionTime !== undefined,
  };
}

const gone = (fixture: ClusterFixture, name: string) =>
  fixture.client.get(Job, ref(name)).then(
    () => false,
    (error: unknown) => isReason(error, "NotFound"),
  );

test("a job of three, two at a time, completes, is counted once and calm", async (context) => {
  const here = await fixture(context);
  await here.client.create(Job, job("three", { completions: 3, parallelism: 2 }));
  await here.settle();
  assert.equal((await statusOf(here, "three")).counters.active, 2);
  await here.elapse(30_000);
  assert.deepEqual(await statusOf(here, "three"), {
    conditions: ["SuccessCriteriaMet CompletionsReached", "Complete CompletionsReached"],
    counters: { succeeded: 3, ready: 0, terminating: 0 },
    isComplete: true,
  });
  const { items } = await here.client.list(Pod, { namespace: "default" });
  assert.deepEqual(
    items.map(({ metadata }) => metadata.finalizers),
    [undefined, undefined, undefined],
  );
  assert.equal((await here.events(ref("three"))).at(-1), "Normal Completed Job completed");
  here.writes.length = 0;
  await here.elapse(600_000);
  assert.deepEqual(here.writes, []);
});

test("a job that fails waits longer each time and ends with the reason", async (context) => {
  const here = await fixture(context);
  await here.client.create(Job, job("bad", { backoffLimit: 2 }, "fails"));
  await here.settle();
  await here.elapse(60_000);
  const pods = (await here.client.list(Pod, { namespace: "default" })).items;
  const times = pods.map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? "")).sort((a, b) => a - b);
  const [first = 0, second = 0, third = 0] = times;
  assert.deepEqual([times.length, second - first >= 10_000, third - second >= 20_000], [3, true, true]);
  const { conditions, counters } = await statusOf(here, "bad");
  assert.deepEqual(conditions, ["FailureTarget BackoffLimitExceeded", "Failed BackoffLimitExceeded"]);
  assert.deepEqual(counters, { failed: 3, ready: 0, terminating: 0 });
  assert.equal(
    (await here.events(ref("bad"))).at(-1),
    "Warning BackoffLimitExceeded Job has reached the specified backoff limit",
  );
});

test("a deadline ends what runs; a suspended job starts again", async (context) => {
  const here = await fixture(context);
  await here.client.create(Job, job("slow", { activeDeadlineSeconds: 20 }, "serves"));
  await here.client.create(Job, job("held", { suspend: true }, "serves"));
  await here.settle();
  assert.deepEqual((await statusOf(here, "held")).conditions, ["Suspended JobSuspended"]);
  await here.client.patch(Job, ref("held"), { type: "merge", body: { spec: { suspend: false } } });
  await here.elapse(5_000);
  assert.deepEqual((await statusOf(here, "held")).conditions, ["Suspended JobResumed"]);
  assert.equal((await statusOf(here, "held")).counters.active, 1);
  await here.client.patch(Job, ref("held"), { type: "merge", body: { spec: { suspend: true } } });
  await here.elapse(60_000);
  const held = await statusOf(here, "held");
  assert.deepEqual([held.counters.active, held.counters.failed], [undefined, undefined]);
  const slow = await statusOf(here, "slow");
  assert.deepEqual(slow.conditions, ["FailureTarget DeadlineExceeded", "Failed DeadlineExceeded"]);
  assert.equal(slow.counters.failed, 1);
});

test("indexes: each once, with tries of their own, and a rule for an early end", async (context) => {
  const here = await fixture(context);
  const indexed = { completionMode: "Indexed", completions: 4, parallelism: 4 } as const;
  await here.client.create(Job, job("all", indexed));
  await here.client.create(Job, job("none", { ...indexed, backoffLimitPerIndex: 1, maxFailedIndexes: 4 }, "fails"));
  await here.client.create(
    Job,
    job("some", { ...indexed, parallelism: 2, successPolicy: { rules: [{ succeededCount: 2 }] } }),
  );
  await here.settle();
  const { items } = await here.client.list(Pod, {
    namespace: "default",
    labelSelector: "batch.kubernetes.io/job-name=all",
  });
  assert.deepEqual(items.map(({ spec }) => spec?.hostname).sort(), ["all-0", "all-1", "all-2", "all-3"]);
  await here.elapse(120_000);
  assert.equal((await statusOf(here, "all")).counters.completedIndexes, "0-3");
  const none = await statusOf(here, "none");
  assert.deepEqual([none.counters.failedIndexes, none.counters.failed], ["0-3", 8]);
  assert.deepEqual(none.conditions, ["FailureTarget FailedIndexes", "Failed FailedIndexes"]);
  const some = await statusOf(here, "some");
  assert.deepEqual(some.conditions, ["SuccessCriteriaMet SuccessPolicy", "Complete SuccessPolicy"]);
});

test("a deleted job leaves no pod behind, and a finished one goes after its time", async (context) => {
  const here = await fixture(context);
  await here.client.create(Job, job("dropped", {}, "serves"));
  await here.client.create(Job, job("brief", { ttlSecondsAfterFinished: 30 }));
  await here.settle();
  await here.elapse(5_000);
  await here.client.delete(Job, ref("dropped"), { propagationPolicy: "Background" });
  await here.settle();
  assert.equal(await gone(here, "brief"), false);
  await here.elapse(90_000);
  assert.deepEqual([await gone(here, "dropped"), await gone(here, "brief")], [true, true]);
  assert.deepEqual((await here.client.list(Pod, { namespace: "default" })).items, []);
});

test("rules: an exit code that ends the job at once, and one that does not count", async (context) => {
  const here = await fixture(context);
  const rules = (action: "FailJob" | "Ignore") => ({
    rules: [{ action, onExitCodes: { operator: "In" as const, values: [1] } }],
  });
  await here.client.create(Job, job("strict", { podFailurePolicy: rules("FailJob") }, "fails"));
  await here.client.create(Job, job("patient", { backoffLimit: 0, podFailurePolicy: rules("Ignore") }, "fails"));
  await here.settle();
  await here.elapse(40_000);
  const strict = await statusOf(here, "strict");
  assert.deepEqual(
    [strict.conditions, strict.counters.failed],
    [["FailureTarget PodFailurePolicy", "Failed PodFailurePolicy"], 1],
  );
  assert.match(
    (await here.events(ref("strict"))).at(-1) ?? "",
    /^Warning PodFailurePolicy Container main for pod default\/strict-.{5} failed with exit code 1 matching FailJob rule at index 0$/,
  );
  const patient = await statusOf(here, "patient");
  assert.deepEqual([patient.conditions, patient.counters.failed], [[], undefined]);
});
