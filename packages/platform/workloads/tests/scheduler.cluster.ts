import { after, before, describe, test } from "node:test";
import {
  Deployment,
  EndpointSlice,
  isConditionTrue,
  Node,
  Pod,
  type PodSpec,
  PriorityClass,
  Service,
} from "@trivium/kube";
import { judge, type Scenario } from "./judge/judge.ts";
import { type Sides, startSides } from "./judge/side.ts";

const gpu = "nvidia.com/gpu";
const accelerators = [
  { vendor: "nvidia", product: "NVIDIA-H100-80GB-HBM3", count: 2, memoryGiB: 80, family: "hopper" },
] as const;
const started = await startSides(
  [],
  [
    { name: "gpu-1", address: "127.0.0.1", accelerators },
    { name: "plain", address: "127.0.0.1" },
  ],
);
const skip = typeof started === "string" ? started : false;

const pod = (name: string, spec: Partial<PodSpec> = {}, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, ...metadata },
  spec: { terminationGracePeriodSeconds: 1, containers: [{ name: "main", image: "example/app" }], ...spec },
});
const asking = (resources: Record<string, string>): Partial<PodSpec> => ({
  containers: [{ name: "main", image: "example/app", resources: { limits: resources } }],
});
const hostname = (value: string) => ({ nodeSelector: { "kubernetes.io/hostname": value } });
const isPlaced = (one: Pod | undefined) => isConditionTrue(one?.status?.conditions, "Ready");
const isRefused = (one: Pod | undefined) =>
  one?.status?.conditions?.some(({ type, status }) => type === "PodScheduled" && status === "False") ?? false;
const near = (labels: Record<string, string>) => [
  { labelSelector: { matchLabels: labels }, topologyKey: "kubernetes.io/hostname" },
];
const eye = { kinds: [Pod], speakers: ["default-scheduler"] };

const refusals: Record<string, Partial<PodSpec>> = {
  "too-much-cpu": asking({ cpu: "999" }),
  "too-much-of-all": asking({ cpu: "999", memory: "999Ti", [gpu]: "9" }),
  "no-such-device": asking({ "example.com/fpga": "1" }),
  "no-such-label": { nodeSelector: { disk: "fast" } },
  "no-such-node": {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["nowhere"] }] }],
        },
      },
    },
  },
  "one-node-too-small": {
    ...asking({ cpu: "999" }),
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["plain"] }] }],
        },
      },
    },
  },
  "no-company": {
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: near({ app: "nobody" }) } },
  },
  "bad-company": {
    ...hostname("plain"),
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: near({ app: "there" }) } },
  },
  "no-such-zone": {
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "zone",
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: { matchLabels: { app: "x" } },
      },
    ],
  },
  "no-claim": { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "missing" } }] },
  "port-taken": {
    ...hostname("plain"),
    containers: [{ name: "main", image: "x", ports: [{ containerPort: 80, hostPort: 8080 }] }],
  },
  "own-volume": {
    volumes: [
      {
        name: "v",
        ephemeral: {
          volumeClaimTemplate: {
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        },
      },
    ],
  },
};

const doesNotFit: Scenario = {
  name: "does-not-fit",
  eye,
  async play({ apply, until }) {
    const port = [{ containerPort: 80, hostPort: 8080 }];
    await apply(
      pod(
        "there",
        { ...hostname("plain"), containers: [{ name: "main", image: "x", ports: port }] },
        { labels: { app: "there" } },
      ),
    );
    await until(Pod, "there", isPlaced);
    // One after the other, so that no answer depends on another pod that waits.
    for (const [name, spec] of Object.entries(refusals)) {
      await apply(pod(name, spec));
      await until(Pod, name, isRefused);
    }
  },
};

const contention: Scenario = {
  name: "contention",
  eye,
  async play({ apply, until, kubectl }) {
    for (const name of ["a", "b"]) {
      await apply(pod(name, asking({ [gpu]: "1" })));
      await until(Pod, name, isPlaced);
    }
    await apply(pod("c", asking({ [gpu]: "1" })));
    await until(Pod, "c", isRefused);
    await kubectl("delete pod a");
    await until(Pod, "c", isPlaced);
    await kubectl("delete pod b c");
  },
};

const preemption: Scenario = {
  name: "preemption",
  eye,
  async play({ apply, until, kubectl, side }) {
    const priority = (name: string, more: object = {}) => ({
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name },
      value: 1000,
      ...more,
    });
    await side.client.create(PriorityClass, priority("high"));
    await side.client.create(PriorityClass, priority("polite", { preemptionPolicy: "Never" }));
    await apply(pod("low", asking({ [gpu]: "2" })));
    await until(Pod, "low", isPlaced);
    await apply(pod("polite", { ...asking({ [gpu]: "1" }), priorityClassName: "polite" }));
    await until(Pod, "polite", isRefused);
    await kubectl("delete pod polite");
    await apply(pod("boss", { ...asking({ [gpu]: "1" }), priorityClassName: "high" }));
    await until(Pod, "boss", isPlaced);
    await until(Pod, "low", (one) => one === undefined);
    await kubectl("delete pod boss");
  },
};

const gates: Scenario = {
  name: "gates",
  eye,
  async play({ apply, until, kubectl, note }) {
    await apply(
      pod("gated", { ...hostname("plain"), schedulingGates: [{ name: "example.com/later" }] }),
      pod("other", { schedulerName: "mine" }),
    );
    note("gated", await kubectl("get pod gated --no-headers -o custom-columns=S:.status.conditions[*].reason"));
    await kubectl('patch pod gated --type=json -p [{"op":"remove","path":"/spec/schedulingGates"}]');
    await until(Pod, "gated", isPlaced);
  },
};

const taints: Scenario = {
  name: "taints",
  eye: { kinds: [Pod], speakers: ["default-scheduler", "taint-eviction-controller"] },
  async play({ apply, until, kubectl, note, side, namespace }) {
    const tolerations = [{ key: "example.com/out", operator: "Exists" } as const];
    await kubectl("taint node plain example.com/busy=yes:NoSchedule");
    await apply(pod("waits", hostname("plain")));
    await until(Pod, "waits", isRefused);
    note("tainted", (await side.client.get(Pod, { namespace, name: "waits" })).status?.conditions?.[0]?.message);
    await kubectl("taint node plain example.com/busy-");
    await until(Pod, "waits", isPlaced);
    await apply(pod("stays", { ...hostname("plain"), tolerations }));
    await until(Pod, "stays", isPlaced);
    await kubectl("taint node plain example.com/out:NoExecute");
    await until(Pod, "waits", (one) => one === undefined);
    await kubectl("taint node plain example.com/out-");
    await kubectl("cordon plain");
    await until(
      Node,
      "plain",
      (one) => one?.spec?.taints?.some(({ key }) => key === "node.kubernetes.io/unschedulable") ?? false,
    );
    await apply(pod("late", hostname("plain")));
    await until(Pod, "late", isRefused);
    await kubectl("uncordon plain");
    await until(Pod, "late", isPlaced);
    await until(Node, "plain", (one) => (one?.spec?.taints ?? []).length === 0);
  },
};

const rollout: Scenario = {
  name: "endpoints",
  eye: { kinds: [EndpointSlice, Service], speakers: ["endpoint-slice-controller"] },
  async play({ apply, until, kubectl, note }) {
    const labels = { app: "web" };
    const template = {
      metadata: { labels },
      spec: {
        ...hostname("plain"),
        terminationGracePeriodSeconds: 1,
        containers: [{ name: "main", image: "example/web:1", ports: [{ name: "http", containerPort: 8080 }] }],
      },
    };
    const ports = [
      { name: "web", port: 80, targetPort: "http" },
      { name: "admin", port: 81, targetPort: 9090, appProtocol: "http" },
    ];
    const service = (name: string, spec: object) => ({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, labels: { team: "a" } },
      spec: { selector: labels, ports, ...spec },
    });
    await apply(
      service("web", {}),
      service("headless", { clusterIP: "None" }),
      service("early", { publishNotReadyAddresses: true }),
      service("nobody", { selector: { app: "nobody" } }),
      { ...service("outside", {}), spec: { type: "ExternalName", externalName: "example.com" } },
      { ...service("by-hand", {}), spec: { ports: [{ port: 80 }] } },
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "web" },
        spec: { replicas: 2, selector: { matchLabels: labels }, template },
      },
      pod(
        "never",
        { ...hostname("plain"), containers: [{ name: "main", image: "x" }] },
        { labels, annotations: { "trivium.dev/stage": "never-ready" } },
      ),
    );
    await until(Deployment, "web", (one) => one?.status?.availableReplicas === 2);
    await kubectl("set image deployment/web main=example/web:2");
    await kubectl("rollout status deployment/web --timeout=180s");
    await kubectl("delete pod never");
    await kubectl("scale deployment/web --replicas=0");
    await kubectl("wait pod -l app=web --for=delete --timeout=180s");
    await kubectl("scale deployment/web --replicas=1");
    await until(Deployment, "web", (one) => one?.status?.availableReplicas === 1);
    // The real server's allocator of addresses reports its repairs as Events of the Service.
    const described = (await kubectl("describe service web")).replace(/\nEvents:[\s\S]*/, "\n");
    note("describe", described.replace(/\b\d+\.\d+\.\d+\.\d+/g, "<ip>"));
  },
};

describe("the scheduler and endpoints beside the real ones", { skip }, () => {
  const sides = started as Sides;
  before(async () => {
    for (const side of [sides.real, sides.embedded])
      await side.kubectl(["wait", "node", "--all", "--for=condition=Ready", "--timeout=180s"]);
  });
  after(() => sides.stop());
  for (const scenario of [doesNotFit, contention, preemption, gates, rollout, taints])
    test(scenario.name, () => judge(sides, scenario));
});
