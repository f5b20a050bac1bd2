import { after, describe, test } from "node:test";
import {
  ControllerRevision,
  DaemonSet,
  Deployment,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  StatefulSet,
} from "@trivium/kube";
import { judge, type Scenario } from "./judge/judge.ts";
import { type Player, type Sides, startSides } from "./judge/side.ts";

const eye = {
  kinds: [StatefulSet, DaemonSet, Pod, ControllerRevision, PersistentVolumeClaim],
  speakers: ["statefulset-controller", "daemonset-controller"],
};
const budgetEye = { kinds: [PodDisruptionBudget], speakers: ["controllermanager"] };

const labels = { app: "web" };
const selector = { matchLabels: labels };

function template(image = "example/web:1", stage = "serves") {
  return {
    metadata: { labels, annotations: { "trivium.dev/stage": stage } },
    spec: { terminationGracePeriodSeconds: 1, containers: [{ name: "main", image }] },
  };
}

function statefulSet(spec: object = {}) {
  const whole = { selector, serviceName: "web", template: template(), ...spec };
  return { apiVersion: "apps/v1", kind: "StatefulSet", metadata: { name: "web" }, spec: whole };
}

function daemonSet(spec: object = {}) {
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "web" },
    spec: { selector, template: template(), ...spec },
  };
}

function deployment(replicas: number) {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: { replicas, selector, template: template() },
  };
}

function budget(spec: object) {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "web" },
    spec: { selector, ...spec },
  };
}

const rolledOut = async ({ kubectl, note }: Player, what: string, label = "status") =>
  note(label, (await kubectl(`rollout status ${what} --timeout=180s`)).split("\n").at(-2));

const lifecycles: readonly Scenario[] = [
  {
    name: "stateful-rollout",
    eye,
    async play(player) {
      await player.apply(statefulSet({ replicas: 3 }));
      await rolledOut(player, "statefulset/web", "first");
      await player.kubectl("set image statefulset/web main=example/web:2");
      await rolledOut(player, "statefulset/web");
      player.note("history", await player.kubectl("rollout history statefulset/web"));
      await player.kubectl("rollout undo statefulset/web");
      await rolledOut(player, "statefulset/web", "undone");
      player.note("after", await player.kubectl("rollout history statefulset/web"));
    },
  },
  {
    name: "stateful-partition",
    eye,
    async play(player) {
      const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 2 } };
      await player.apply(statefulSet({ replicas: 3, updateStrategy }));
      await rolledOut(player, "statefulset/web", "first");
      await player.kubectl("set image statefulset/web main=example/web:2");
      await rolledOut(player, "statefulset/web");
      await player.kubectl("delete pod web-0 web-2");
      await player.until(StatefulSet, "web", (set) => set?.status?.readyReplicas === 3 && set.status.replicas === 3);
      await rolledOut(player, "statefulset/web", "again");
    },
  },
  {
    name: "stateful-parallel-scale",
    eye,
    async play(player) {
      const { apply, kubectl, until } = player;
      await apply(
        statefulSet({
          replicas: 3,
          podManagementPolicy: "Parallel",
          ordinals: { start: 5 },
          updateStrategy: { type: "OnDelete" },
        }),
      );
      await until(StatefulSet, "web", (set) => set?.status?.readyReplicas === 3);
      await kubectl("scale statefulset/web --replicas=1");
      await until(StatefulSet, "web", (set) => set?.status?.replicas === 1);
      await kubectl("set image statefulset/web main=example/web:2");
      await until(StatefulSet, "web", (set) => set?.status?.updateRevision !== set?.status?.currentRevision);
      await kubectl("delete pod web-5");
      await until(StatefulSet, "web", (set) => set?.status?.updatedReplicas === 1 && set.status.readyReplicas === 1);
    },
  },
  {
    name: "stateful-stuck",
    eye,
    async play({ apply, until }) {
      await apply(statefulSet({ replicas: 2, template: template("example/web:1", "never-ready") }));
      await until(Pod, "web-0", (pod) => pod?.status?.phase === "Running");
    },
  },
  {
    name: "stateful-claims",
    eye,
    async play({ apply, kubectl, until }) {
      const claim = {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
        storageClassName: "none",
      };
      const volumeClaimTemplates = [{ metadata: { name: "data" }, spec: claim }];
      const policy = { whenScaled: "Delete", whenDeleted: "Delete" };
      await apply(
        statefulSet({
          replicas: 2,
          podManagementPolicy: "Parallel",
          volumeClaimTemplates,
          persistentVolumeClaimRetentionPolicy: policy,
        }),
      );
      await until(Pod, "web-1", (pod) => pod !== undefined);
      await until(
        PersistentVolumeClaim,
        "data-web-1",
        (found) => found?.metadata.ownerReferences?.[0]?.kind === "StatefulSet",
      );
      await kubectl("scale statefulset/web --replicas=1");
      await until(Pod, "web-1", (pod) => pod === undefined);
    },
  },
  {
    name: "stateful-orphans",
    eye,
    async play(player) {
      const { apply, kubectl, until, note } = player;
      await apply(statefulSet({ replicas: 2 }));
      await rolledOut(player, "statefulset/web", "first");
      await kubectl("delete statefulset web --cascade=orphan");
      await until(StatefulSet, "web", (set) => set === undefined);
      await apply(statefulSet({ replicas: 3 }));
      await rolledOut(player, "statefulset/web");
      await kubectl("label pod web-1 app=other --overwrite");
      await until(Pod, "web-1", (pod) => pod?.metadata.ownerReferences === undefined);
      note("free", await kubectl("get pod web-1 -o jsonpath={.metadata.ownerReferences}"));
    },
  },
  {
    name: "daemon-rollout",
    eye,
    async play(player) {
      await player.apply(daemonSet());
      await rolledOut(player, "daemonset/web", "first");
      await player.kubectl("set image daemonset/web main=example/web:2");
      await rolledOut(player, "daemonset/web");
      player.note("history", await player.kubectl("rollout history daemonset/web"));
      await player.kubectl("rollout undo daemonset/web");
      await rolledOut(player, "daemonset/web", "undone");
    },
  },
  {
    name: "daemon-surge",
    eye,
    async play(player) {
      const updateStrategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
      await player.apply(daemonSet({ updateStrategy }));
      await rolledOut(player, "daemonset/web", "first");
      await player.kubectl("set image daemonset/web main=example/web:2");
      await rolledOut(player, "daemonset/web");
    },
  },
  {
    name: "daemon-on-delete-one-node",
    eye,
    async play(player) {
      const only = {
        ...template(),
        spec: { ...template().spec, nodeSelector: { "kubernetes.io/hostname": "node-b" } },
      };
      await player.apply(daemonSet({ updateStrategy: { type: "OnDelete" }, template: only }));
      await player.until(DaemonSet, "web", (set) => set?.status?.numberReady === 1);
      await player.kubectl("set image daemonset/web main=example/web:2");
      await player.until(
        DaemonSet,
        "web",
        (set) => set?.status?.observedGeneration === 2 && !set.status.updatedNumberScheduled,
      );
      await player.kubectl("delete pod -l app=web");
      await player.until(
        DaemonSet,
        "web",
        (set) => set?.status?.updatedNumberScheduled === 1 && set.status.numberReady === 1,
      );
    },
  },
  {
    name: "daemon-selects-anew",
    eye,
    async play(player) {
      const on = (host: string) => ({
        ...template(),
        spec: { ...template().spec, nodeSelector: { "kubernetes.io/hostname": host } },
      });
      await player.apply(daemonSet({ template: on("node-a") }));
      await rolledOut(player, "daemonset/web", "first");
      await player.apply(daemonSet({ template: on("node-b"), minReadySeconds: 1 }));
      await rolledOut(player, "daemonset/web");
      await player.kubectl("delete daemonset web --cascade=orphan");
      await player.apply(daemonSet({ template: on("node-b"), minReadySeconds: 1 }));
      await rolledOut(player, "daemonset/web", "again");
    },
  },
  {
    name: "budget-odd-pods",
    eye: budgetEye,
    async play({ apply, until }) {
      const { spec } = template();
      await apply(budget({ maxUnavailable: 1 }));
      await until(PodDisruptionBudget, "web", (found) => found?.status?.observedGeneration === 1);
      await apply({ apiVersion: "v1", kind: "Pod", metadata: { name: "bare", labels }, spec });
      await until(Pod, "bare", (pod) => pod?.status?.phase === "Running");
    },
  },
  {
    name: "budget-blocks",
    eye: budgetEye,
    async play(player) {
      const { apply, kubectl, until, note } = player;
      await apply(budget({ minAvailable: 2 }), deployment(2));
      await until(Deployment, "web", (found) => found?.status?.readyReplicas === 2);
      await until(PodDisruptionBudget, "web", (found) => found?.status?.currentHealthy === 2);
      const [name = ""] = (await kubectl("get pods -o jsonpath={.items[*].metadata.name}")).split(" ");
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace: player.namespace } };
      const path = `/api/v1/namespaces/${player.namespace}/pods/${name}/eviction`;
      const evict = () => kubectl(`create --raw ${path} -f -`, JSON.stringify(eviction));
      note(
        "refused",
        await evict().catch((error: Error) => error.message.replace(/^.*?: /, "").replaceAll(name, "<pod>")),
      );
      await kubectl("scale deployment/web --replicas=3");
      await until(PodDisruptionBudget, "web", (found) => found?.status?.disruptionsAllowed === 1);
      await evict();
      await until(Pod, name, (pod) => pod === undefined);
      await until(PodDisruptionBudget, "web", (found) => found?.status?.currentHealthy === 3);
    },
  },
  {
    name: "budget-shares",
    eye: budgetEye,
    async play({ apply, kubectl, until }) {
      await apply(budget({ maxUnavailable: "50%" }), deployment(4));
      await until(PodDisruptionBudget, "web", (found) => found?.status?.disruptionsAllowed === 2);
      await kubectl("delete deployment web");
      await until(PodDisruptionBudget, "web", (found) => found?.status?.expectedPods === 0);
    },
  },
];

const started = await startSides();
const skip = typeof started === "string" ? started : false;

describe("numbered, daemon and budgeted pods on both sides", { skip, concurrency: true }, () => {
  const sides = started as Sides;
  after(() => sides.stop());
  for (const scenario of lifecycles) test(scenario.name, () => judge(sides, scenario));
});
