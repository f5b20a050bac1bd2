import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Deployment, HorizontalPodAutoscaler } from "@trivium/kube";
import { answer } from "@trivium/reconcile";
import { externalMetric } from "../src/autoscaler/queries.ts";
import { autoscalerReconciler } from "../src/autoscaler/reconciler.ts";
import { deploymentReconciler } from "../src/deployment/reconciler.ts";
import { podUsage } from "../src/index.ts";
import { replicaSetReconciler } from "../src/replica-set/reconciler.ts";
import { schedulerReconciler } from "../src/scheduler/reconciler.ts";
import { type ClusterFixture, ref, startFixture } from "./fixture.ts";

/** A town in which every pod uses so much CPU as the test says, in thousandths. */
async function fixture(context: TestContext, world: { cpu?: number; queue?: number }): Promise<ClusterFixture> {
  const here = await startFixture(context, {
    reconcilers: [schedulerReconciler, deploymentReconciler, replicaSetReconciler, autoscalerReconciler()],
    answers: [
      answer(podUsage, async ({ pods }) => {
        const { cpu } = world;
        return cpu === undefined ? undefined : Object.fromEntries(pods.map((name) => [name, cpu]));
      }),
      answer(externalMetric, async () => world.queue),
    ] as never,
  });
  await here.node({ name: "a" });
  return here;
}

function deployment(name: string, replicas: number): Deployment {
  const labels = { app: name };
  const resources = { requests: { cpu: "100m" } };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace: "default", name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "example/web", resources }] } },
    },
  };
}

const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } };

function autoscaler(name: string, spec: Partial<HorizontalPodAutoscaler["spec"]> = {}): HorizontalPodAutoscaler {
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { namespace: "default", name },
    spec: {
      maxReplicas: 10,
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      metrics: [cpu],
      ...spec,
    },
  };
}

const wantedOf = async ({ client }: ClusterFixture, name: string) =>
  (await client.get(Deployment, ref(name))).spec?.replicas;

async function conditionsOf({ client }: ClusterFixture, name: string): Promise<string[]> {
  const { status } = await client.get(HorizontalPodAutoscaler, ref(name));
  return (status?.conditions ?? []).map(({ type, status: state, reason }) => `${type} ${state} ${reason}`).sort();
}

test("up at once, down only after five quiet minutes, and calm in between", async (context) => {
  const world = { cpu: 80 };
  const here = await fixture(context, world);
  await here.client.create(Deployment, deployment("web", 2));
  await here.settle();
  await here.elapse(10_000);
  await here.client.create(HorizontalPodAutoscaler, autoscaler("web"));
  await here.elapse(5_000);
  // 80 of 100 thousandths where 50 are wanted: 2 × 1.6 pods, rounded up; a moment later the same load asks for more again.
  assert.equal(await wantedOf(here, "web"), 4);
  await here.elapse(15_000);
  assert.equal(await wantedOf(here, "web"), 7);
  world.cpu = 50;
  await here.elapse(60_000);
  assert.equal(await wantedOf(here, "web"), 7);
  assert.deepEqual(await conditionsOf(here, "web"), [
    "AbleToScale True ReadyForNewScale",
    "ScalingActive True ValidMetricFound",
    "ScalingLimited False DesiredWithinRange",
  ]);
  here.writes.length = 0;
  await here.elapse(120_000);
  assert.deepEqual(here.writes, []);
  world.cpu = 10;
  await here.elapse(120_000);
  assert.equal(await wantedOf(here, "web"), 7);
  assert.ok((await conditionsOf(here, "web")).includes("AbleToScale True ScaleDownStabilized"));
  await here.elapse(240_000);
  assert.equal(await wantedOf(here, "web"), 2);
  const events = await here.events(ref("web"));
  assert.ok(
    events.includes("Normal SuccessfulRescale New size: 2; reason: All metrics below target"),
    events.join("\n"),
  );
  assert.ok(
    events.includes(
      "Normal SuccessfulRescale New size: 4; reason: cpu resource utilization (percentage of request) above target",
    ),
    events.join("\n"),
  );
});

test("limits, rates and what is said of them", async (context) => {
  const here = await fixture(context, { queue: 40_000 });
  for (const name of ["slow", "high", "low", "off"])
    await here.client.create(Deployment, deployment(name, name === "off" ? 0 : 2));
  await here.settle();
  await here.elapse(10_000);
  const queue = {
    type: "External",
    external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "1" } },
  };
  const scaleUp = {
    policies: [{ type: "Pods", value: 1, periodSeconds: 60 }],
    stabilizationWindowSeconds: 0,
    selectPolicy: "Max",
  };
  await here.client.create(HorizontalPodAutoscaler, autoscaler("slow", { metrics: [queue], behavior: { scaleUp } }));
  await here.client.create(HorizontalPodAutoscaler, autoscaler("high", { metrics: [queue], maxReplicas: 3 }));
  await here.client.create(HorizontalPodAutoscaler, autoscaler("low", { minReplicas: 4 }));
  await here.client.create(HorizontalPodAutoscaler, autoscaler("off"));
  await here.elapse(30_000);
  assert.deepEqual(
    [await wantedOf(here, "slow"), await wantedOf(here, "high"), await wantedOf(here, "low")],
    [3, 3, 4],
  );
  assert.ok((await conditionsOf(here, "slow")).includes("ScalingLimited True ScaleUpLimit"));
  assert.ok((await conditionsOf(here, "high")).includes("ScalingLimited True TooManyReplicas"));
  assert.ok((await conditionsOf(here, "off")).includes("ScalingActive False ScalingDisabled"));
  await here.elapse(120_000);
  assert.equal(await wantedOf(here, "slow"), 5);
});

test("no metrics, no target: nothing is touched, and it is said why", async (context) => {
  const here = await fixture(context, {});
  await here.client.create(Deployment, deployment("dark", 2));
  await here.client.create(HorizontalPodAutoscaler, autoscaler("dark"));
  await here.client.create(HorizontalPodAutoscaler, autoscaler("lost"));
  await here.settle();
  await here.elapse(60_000);
  assert.equal(await wantedOf(here, "dark"), 2);
  assert.deepEqual(await conditionsOf(here, "dark"), [
    "AbleToScale True SucceededGetScale",
    "ScalingActive False FailedGetResourceMetric",
  ]);
  const lost = (await here.client.get(HorizontalPodAutoscaler, ref("lost"))).status?.conditions?.[0];
  assert.equal(
    lost?.message,
    `the HPA controller was unable to get the target's current scale: deployments.apps "lost" not found`,
  );
});
