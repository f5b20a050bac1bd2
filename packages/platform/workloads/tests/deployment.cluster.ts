import { after, describe, test } from "node:test";
import { ControllerRevision, Deployment, findCondition, Pod, ReplicaSet } from "@trivium/kube";
import { judge, type Scenario } from "./judge/judge.ts";
import { type Player, type Sides, startSides } from "./judge/side.ts";

const eye = {
  kinds: [Deployment, ReplicaSet, Pod, ControllerRevision],
  speakers: ["deployment-controller", "replicaset-controller"],
};

function deployment(spec: object = {}, { image = "example/web:1", stage = "serves" } = {}) {
  const labels = { app: "web" };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations: { "trivium.dev/stage": stage } },
        spec: { terminationGracePeriodSeconds: 1, containers: [{ name: "main", image }] },
      },
      ...spec,
    },
  };
}

const rolledOut = async ({ kubectl, note }: Player, label = "status") =>
  note(label, (await kubectl("rollout status deployment/web --timeout=180s")).split("\n").at(-2));

const lifecycles: readonly Scenario[] = [
  {
    name: "rollout",
    eye,
    async play(player) {
      await player.apply(deployment({ replicas: 3 }));
      await rolledOut(player, "first");
      await player.kubectl("set image deployment/web main=example/web:2");
      await rolledOut(player);
    },
  },
  {
    name: "stuck-then-undo",
    eye,
    async play(player) {
      const { apply, kubectl, until, note } = player;
      // The first rollout has to succeed, also on a busy machine.
      await apply(deployment({ replicas: 3, progressDeadlineSeconds: 120 }));
      await rolledOut(player, "first");
      await apply(
        deployment({ replicas: 3, progressDeadlineSeconds: 8 }, { image: "example/web:2", stage: "never-ready" }),
      );
      await until(
        Deployment,
        "web",
        (object) => findCondition(object?.status?.conditions, "Progressing")?.status === "False",
      );
      note(
        "failed",
        await kubectl("rollout status deployment/web").catch((error: Error) =>
          error.message.split(": ").slice(1).join(": "),
        ),
      );
      note("undone", await kubectl("rollout undo deployment/web"));
      await rolledOut(player);
      note("history", await kubectl("rollout history deployment/web"));
    },
  },
  {
    name: "pause-resume",
    eye: { ...eye, stepsMayDiffer: true },
    async play(player) {
      const { apply, kubectl, until, note } = player;
      await apply(deployment({ replicas: 4 }));
      await rolledOut(player, "first");
      await kubectl("rollout pause deployment/web");
      await kubectl("set image deployment/web main=example/web:2");
      await kubectl("scale deployment/web --replicas=6");
      await until(Deployment, "web", (object) => object?.status?.readyReplicas === 6);
      note("paused", await kubectl("get deployment web -o jsonpath={.status.conditions[*].reason}"));
      note("resumed", await kubectl("rollout resume deployment/web"));
      await rolledOut(player);
      await kubectl("rollout restart deployment/web");
      await rolledOut(player, "restarted");
      await kubectl("annotate deployment/web kubectl.kubernetes.io/restartedAt- example.com/note=x");
    },
  },
  {
    name: "paused-from-the-start",
    eye,
    async play({ apply, kubectl, until }) {
      await apply(deployment({ replicas: 2, paused: true }));
      await until(Deployment, "web", (object) => object?.status?.observedGeneration === 1);
      await kubectl("get deployment web");
    },
  },
  {
    name: "scale-up-down",
    eye,
    async play(player) {
      const { apply, kubectl, until } = player;
      await apply(deployment({ replicas: 1 }));
      await rolledOut(player, "first");
      await kubectl("scale deployment/web --replicas=5");
      await until(Deployment, "web", (object) => object?.status?.readyReplicas === 5);
      await kubectl("scale deployment/web --replicas=2");
      await until(Deployment, "web", (object) => object?.status?.replicas === 2);
      await kubectl("scale deployment/web --replicas=0");
      await until(Deployment, "web", (object) => !object?.status?.replicas);
      await kubectl("scale deployment/web --replicas=2");
      await rolledOut(player);
    },
  },
  {
    name: "recreate",
    eye,
    async play(player) {
      await player.apply(deployment({ replicas: 2, strategy: { type: "Recreate" } }));
      await rolledOut(player, "first");
      await player.kubectl("set image deployment/web main=example/web:2");
      await rolledOut(player);
    },
  },
  {
    name: "scale-while-stuck",
    eye,
    async play(player) {
      const { apply, kubectl, until } = player;
      const strategy = { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } };
      await apply(deployment({ replicas: 10, strategy }));
      await rolledOut(player, "first");
      await apply(deployment({ replicas: 10, strategy }, { image: "example/web:2", stage: "never-ready" }));
      await until(
        Deployment,
        "web",
        (object) => object?.status?.updatedReplicas === 5 && object.status.replicas === 13,
      );
      await kubectl("scale deployment/web --replicas=15");
      await until(Deployment, "web", (object) => object?.status?.replicas === 18);
    },
  },
  {
    name: "percentages",
    eye: { ...eye, stepsMayDiffer: true },
    async play(player) {
      const strategy = { rollingUpdate: { maxSurge: "30%", maxUnavailable: "20%" } };
      await player.apply(deployment({ replicas: 7, strategy, minReadySeconds: 1 }));
      await rolledOut(player, "first");
      await player.apply(deployment({ replicas: 5, strategy, minReadySeconds: 1 }, { image: "example/web:2" }));
      await rolledOut(player);
      await player.kubectl("delete pod -l app=web --wait=false");
      await player.until(Deployment, "web", (object) => object?.status?.availableReplicas !== 5);
      await rolledOut(player, "healed");
    },
  },
  {
    name: "rollover",
    eye: { ...eye, stepsMayDiffer: true },
    async play(player) {
      const { apply, until } = player;
      await apply(deployment({ replicas: 3 }));
      await rolledOut(player, "first");
      await apply(deployment({ replicas: 3 }, { image: "example/web:2", stage: "never-ready" }));
      await until(Deployment, "web", (object) => object?.status?.updatedReplicas === 1 && object.status.replicas === 4);
      await apply(deployment({ replicas: 3 }, { image: "example/web:3" }));
      await rolledOut(player);
    },
  },
  {
    name: "no-image",
    eye: { ...eye, kinds: [Deployment, ReplicaSet] },
    async play(player) {
      const { apply, kubectl, until, note } = player;
      await apply(deployment({ replicas: 1, progressDeadlineSeconds: 3 }, { stage: "image-pull-error" }));
      await until(
        Deployment,
        "web",
        (object) => findCondition(object?.status?.conditions, "Progressing")?.status === "False",
      );
      note(
        "get",
        await kubectl("get deployment web -o jsonpath={.status.conditions[*].message}").then((text) =>
          text.replace(/web-\w+/, "web-#"),
        ),
      );
    },
  },
  {
    name: "history-limit",
    eye,
    async play(player) {
      const { apply, kubectl, note } = player;
      await apply(deployment({ replicas: 1, revisionHistoryLimit: 1, minReadySeconds: 1 }));
      await rolledOut(player, "v1");
      for (const version of [2, 3, 4]) {
        await kubectl(`set image deployment/web main=example/web:${version}`);
        await rolledOut(player, `v${version}`);
      }
      note("history", await kubectl("rollout history deployment/web"));
      note("back", await kubectl("rollout undo deployment/web --to-revision=3"));
      await rolledOut(player);
    },
  },
  {
    name: "orphans",
    eye,
    async play(player) {
      const { apply, kubectl, until, note } = player;
      await apply(deployment({ replicas: 2 }));
      await rolledOut(player, "first");
      await kubectl("delete deployment web --cascade=orphan");
      const sets = (await kubectl("get replicasets -o name")).trim();
      await kubectl(`delete ${sets} --cascade=orphan`);
      await until(Deployment, "web", (object) => object === undefined);
      const before = (await kubectl("get pods -o name")).split("\n").filter(Boolean);
      await apply(deployment({ replicas: 2 }));
      await rolledOut(player);
      note("orphans", before.length);
      note("pods", (await kubectl("get pods -o name")).split("\n").filter(Boolean).length);
    },
  },
];

const started = await startSides();
const skip = typeof started === "string" ? started : false;

describe("deployments on both sides", { skip, concurrency: true }, () => {
  const sides = started as Sides;
  after(() => sides.stop());
  for (const scenario of lifecycles) test(scenario.name, () => judge(sides, scenario));
});
