import { after, before, describe, test } from "node:test";
import { CronJob, Deployment, HorizontalPodAutoscaler, isConditionTrue, Job, Pod, ReplicaSet } from "@trivium/kube";
import { judge, type Scenario } from "./judge/judge.ts";
import { type Sides, startSides } from "./judge/side.ts";

const started = await startSides();
const skip = typeof started === "string" ? started : false;

const job = (name: string, spec: object = {}, stage?: string) => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name },
  spec: {
    template: {
      metadata: { annotations: stage === undefined ? {} : { "trivium.dev/stage": stage } },
      spec: {
        restartPolicy: "Never",
        terminationGracePeriodSeconds: 1,
        containers: [{ name: "main", image: "example/work" }],
      },
    },
    ...spec,
  },
});
const eye = { kinds: [Job, Pod], speakers: ["job-controller"] };
const has = (type: string) => (one: Job | undefined) => isConditionTrue(one?.status?.conditions, type);
const indexed = (completions: number) => ({ completionMode: "Indexed", completions, parallelism: completions });

const lifecycles: Scenario[] = [
  {
    name: "job-completes",
    eye,
    async play({ apply, until, kubectl, note }) {
      await apply(job("three", { completions: 3, parallelism: 2 }), job("queue", { parallelism: 2 }));
      await until(Job, "three", has("Complete"));
      await until(Job, "queue", has("Complete"));
      // Times are as wide as they are long: 9s here, 15s or 1m5s there.
      note("get", (await kubectl("get job three queue --no-headers")).replace(/\b(?:\d+[hms])+\b */g, "<time> "));
    },
  },
  {
    name: "job-fails",
    eye,
    async play({ apply, until }) {
      await apply(job("bad", { backoffLimit: 1 }, "fails"), job("at-once", { backoffLimit: 0 }, "fails"));
      await until(Job, "bad", has("Failed"));
      await until(Job, "at-once", has("Failed"));
    },
  },
  {
    name: "job-rules",
    eye,
    async play({ apply, until }) {
      const rules = [{ action: "FailJob", onExitCodes: { operator: "In", values: [1, 137] } }];
      await apply(job("strict", { podFailurePolicy: { rules } }, "fails"));
      await until(Job, "strict", has("Failed"));
    },
  },
  {
    name: "job-deadline",
    eye,
    async play({ apply, until }) {
      await apply(job("slow", { activeDeadlineSeconds: 3, parallelism: 2 }, "serves"));
      await until(Job, "slow", has("Failed"));
    },
  },
  {
    name: "job-suspended",
    eye,
    async play({ apply, until, kubectl }) {
      await apply(job("held", { suspend: true }, "serves"));
      await until(Job, "held", has("Suspended"));
      await kubectl('patch job held -p {"spec":{"suspend":false}}');
      await until(Job, "held", (one) => one?.status?.ready === 1);
      await kubectl('patch job held -p {"spec":{"suspend":true}}');
      await until(Job, "held", (one) => has("Suspended")(one) && one?.status?.terminating === 0);
    },
  },
  {
    name: "job-indexed",
    eye,
    async play({ apply, until }) {
      await apply(job("all", indexed(3)));
      await apply(job("none", { ...indexed(2), backoffLimitPerIndex: 0 }, "fails"));
      await apply(
        job("some", {
          ...indexed(3),
          parallelism: 1,
          successPolicy: { rules: [{ succeededIndexes: "0-1", succeededCount: 1 }] },
        }),
      );
      await until(Job, "all", has("Complete"));
      await until(Job, "none", has("Failed"));
      await until(Job, "some", has("Complete"));
    },
  },
  {
    name: "job-scaled",
    eye,
    async play({ apply, until, kubectl }) {
      await apply(job("wide", { parallelism: 3, completions: 9 }, "serves"));
      await until(Job, "wide", (one) => one?.status?.ready === 3);
      await kubectl('patch job wide -p {"spec":{"parallelism":1}}');
      await until(Job, "wide", (one) => one?.status?.ready === 1 && one.status.terminating === 0);
      await kubectl("delete job wide --cascade=foreground --timeout=180s");
    },
  },
  {
    name: "job-ttl",
    eye,
    async play({ apply, until }) {
      await apply(job("brief", { ttlSecondsAfterFinished: 2 }));
      await until(Job, "brief", has("Complete"));
      await until(Job, "brief", (one) => one === undefined);
    },
  },
  {
    name: "cron-job",
    eye: { kinds: [CronJob, Job, Pod], speakers: ["cronjob-controller", "job-controller"] },
    async play({ apply, until, kubectl }) {
      const jobTemplate = { metadata: { labels: { team: "a" } }, spec: job("x").spec };
      const cron = (name: string, spec: object) => ({
        apiVersion: "batch/v1",
        kind: "CronJob",
        metadata: { name },
        spec: { schedule: "* * * * *", jobTemplate, ...spec },
      });
      await apply(cron("often", { timeZone: "Asia/Kolkata" }), cron("held", { suspend: true }));
      await until(CronJob, "often", (one) => one?.status?.lastSuccessfulTime !== undefined);
      await kubectl('patch cronjob often -p {"spec":{"suspend":true}}');
      await kubectl("create job by-hand --from=cronjob/often");
      await until(Job, "by-hand", has("Complete"));
    },
  },
  {
    name: "autoscaler",
    eye: { kinds: [HorizontalPodAutoscaler, Deployment, ReplicaSet], speakers: ["horizontal-pod-autoscaler"] },
    async play({ apply, until, kubectl, note }) {
      // Neither side has metrics; what needs none is the same.
      const labels = { app: "web" };
      const deployment = (name: string, replicas: number) => ({
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name },
        spec: {
          replicas,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "example/web" }] } },
        },
      });
      const autoscaler = (name: string, minReplicas: number, maxReplicas: number) => ({
        apiVersion: "autoscaling/v2",
        kind: "HorizontalPodAutoscaler",
        metadata: { name },
        spec: {
          minReplicas,
          maxReplicas,
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
          metrics: [],
        },
      });
      await apply(deployment("low", 1), deployment("high", 3), deployment("off", 0));
      await apply(autoscaler("off", 1, 3), autoscaler("lost", 1, 3), autoscaler("low", 2, 2), autoscaler("high", 1, 2));
      const isAble = (one: HorizontalPodAutoscaler | undefined) =>
        one?.status?.conditions?.some(({ type }) => type === "AbleToScale") ?? false;
      for (const name of ["off", "lost"]) await until(HorizontalPodAutoscaler, name, isAble);
      for (const name of ["low", "high"]) {
        await until(HorizontalPodAutoscaler, name, (one) => {
          const able = one?.status?.conditions?.find(({ reason }) => reason === "SucceededRescale");
          if (able !== undefined)
            note(name, [able.message, one?.status?.currentReplicas, one?.status?.desiredReplicas]);
          return able !== undefined;
        });
        await until(Deployment, name, (one) => one?.spec?.replicas === 2);
        // A moment later both miss their metrics, each in its own words.
        await kubectl(`delete hpa ${name}`);
      }
    },
  },
  {
    name: "job-elsewhere",
    eye,
    async play({ apply }) {
      await apply(job("theirs", { managedBy: "example.com/other" }));
    },
  },
];

describe("jobs beside the real controller", { skip, concurrency: true }, () => {
  const sides = started as Sides;
  before(async () => {
    for (const side of [sides.real, sides.embedded])
      await side.kubectl(["wait", "node", "--all", "--for=condition=Ready", "--timeout=180s"]);
  });
  after(() => sides.stop());
  for (const scenario of lifecycles) test(scenario.name, () => judge(sides, scenario));
});
