import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Node, Pod, PodDisruptionBudget, Taint } from "@trivium/kube";
import fc from "fast-check";
import { placePods } from "./place-pods.ts";
import { node, placed, pod, snapshot } from "./snapshot/snapshot.fixture.ts";

const gpu = "nvidia.com/gpu";
const taint = (key: string, effect: Taint["effect"], value?: string): Taint => ({
  key,
  effect,
  ...(value === undefined ? {} : { value }),
});
const hopeless = (all: number) =>
  `no new claims to deallocate, preemption: 0/${all} nodes are available: ${all} Preemption is not helpful for scheduling.`;
const noVictims = (all: number) =>
  `no new claims to deallocate, preemption: 0/${all} nodes are available: ${all} No preemption victims found for incoming pod.`;

describe("why a pod does not fit", () => {
  const onlyNode = (nodes: Node[], wanted: Pod, others: Pod[] = []) => placed(snapshot(nodes, [...others, wanted]))[0];
  const near = (labels: Record<string, string>) => [
    { labelSelector: { matchLabels: labels }, topologyKey: "kubernetes.io/hostname" },
  ];
  const cases: [string, string | undefined, string][] = [
    ["there are no nodes", onlyNode([], pod("p")), "p: no nodes available to schedule pods"],
    [
      "a GPU that nobody has",
      onlyNode([node("a"), node("b")], pod("p", { requests: { [gpu]: "1" } })),
      `p: 0/2 nodes are available: 2 Insufficient ${gpu}. ${hopeless(2)}`,
    ],
    [
      "GPUs that others of the same priority have",
      onlyNode([node("a", { allocatable: { [gpu]: "1" } })], pod("p", { requests: { [gpu]: "1" } }), [
        pod("q", { requests: { [gpu]: "1" }, on: "a" }),
      ]),
      `p: 0/1 nodes are available: 1 Insufficient ${gpu}. ${noVictims(1)}`,
    ],
    [
      "several reasons, counted and sorted",
      onlyNode(
        [
          node("a", { spec: { taints: [taint("k", "NoSchedule", "v")] } }),
          node("b", { spec: { taints: [taint("k", "NoExecute")] } }),
          node("c"),
        ],
        pod("p", { requests: { cpu: "8", memory: "1Ti" } }),
      ),
      `p: 0/3 nodes are available: 1 Insufficient cpu, 1 Insufficient memory, 2 node(s) had untolerated taint(s). ${hopeless(3)}`,
    ],
    [
      "a node that is cordoned",
      onlyNode([node("a", { spec: { unschedulable: true } })], pod("p")),
      `p: 0/1 nodes are available: 1 node(s) were unschedulable. ${hopeless(1)}`,
    ],
    [
      "a label that no node has",
      onlyNode([node("a")], pod("p", { spec: { nodeSelector: { disk: "fast" } } })),
      `p: 0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. ${hopeless(1)}`,
    ],
    [
      "too many pods",
      onlyNode([node("a", { allocatable: { pods: "1" } })], pod("p"), [pod("q", { on: "a" })]),
      `p: 0/1 nodes are available: 1 Too many pods. ${noVictims(1)}`,
    ],
    [
      "a host port that is taken",
      onlyNode(
        [node("a")],
        pod("p", { spec: { containers: [{ name: "c", ports: [{ containerPort: 80, hostPort: 80 }] }] } }),
        [
          pod("q", {
            on: "a",
            spec: { containers: [{ name: "c", ports: [{ containerPort: 1, hostPort: 80, hostIP: "127.0.0.1" }] }] },
          }),
        ],
      ),
      `p: 0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports. ${noVictims(1)}`,
    ],
    [
      "no company",
      onlyNode(
        [node("a")],
        pod("p", {
          spec: { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: near({ app: "db" }) } } },
        }),
      ),
      `p: 0/1 nodes are available: 1 node(s) didn't match pod affinity rules. ${hopeless(1)}`,
    ],
    [
      "the wrong company",
      onlyNode(
        [node("a")],
        pod("p", {
          spec: {
            affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: near({ app: "db" }) } },
          },
        }),
        [pod("q", { on: "a", labels: { app: "db" } })],
      ),
      `p: 0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules. ${noVictims(1)}`,
    ],
    [
      "not wanted by those who are there",
      onlyNode([node("a")], pod("p", { labels: { app: "db" } }), [
        pod("q", {
          on: "a",
          spec: {
            affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: near({ app: "db" }) } },
          },
        }),
      ]),
      `p: 0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules. ${noVictims(1)}`,
    ],
    [
      "too many on one side",
      onlyNode(
        [
          node("a", { labels: { zone: "1" } }),
          node("b", { labels: { zone: "2" }, spec: { unschedulable: true } }),
          node("c"),
        ],
        pod("p", {
          labels: { app: "x" },
          spec: {
            topologySpreadConstraints: [
              {
                maxSkew: 1,
                topologyKey: "zone",
                whenUnsatisfiable: "DoNotSchedule",
                labelSelector: { matchLabels: { app: "x" } },
              },
            ],
          },
        }),
        [pod("q", { on: "a", labels: { app: "x" } })],
      ),
      "p: 0/3 nodes are available: 1 node(s) didn't match pod topology spread constraints, " +
        "1 node(s) didn't match pod topology spread constraints (missing required label), 1 node(s) were unschedulable. " +
        "no new claims to deallocate, preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, " +
        "2 Preemption is not helpful for scheduling.",
    ],
    [
      "a claim that is not there",
      onlyNode(
        [node("a")],
        pod("p", { spec: { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "weights" } }] } }),
      ),
      `p: 0/1 nodes are available: persistentvolumeclaim "weights" not found. not found`,
    ],
    [
      "a node by name that is full",
      onlyNode(
        [node("a"), node("b")],
        pod("p", {
          requests: { cpu: "5" },
          spec: {
            affinity: {
              nodeAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: {
                  nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["a"] }] }],
                },
              },
            },
          },
        }),
      ),
      `p: 0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't satisfy plugin(s) [NodeAffinity]. ${hopeless(2)}`,
    ],
  ];
  for (const [name, got, want] of cases) test(name, () => assert.equal(got, want));
});

describe("where a pod goes", () => {
  test("tolerated taints, wanted labels, gates, other schedulers", () => {
    const nodes = [
      node("gpu", { labels: { kind: "gpu" }, spec: { taints: [taint("gpu", "NoSchedule", "yes")] } }),
      node("plain"),
      node("shy", { spec: { taints: [taint("busy", "PreferNoSchedule")] } }),
    ];
    const tolerations = [{ key: "gpu", operator: "Exists" } as const];
    const pods = [
      pod("a", { spec: { tolerations, nodeSelector: { kind: "gpu" } } }),
      pod("b"),
      pod("gated", { spec: { schedulingGates: [{ name: "later" }] } }),
      pod("other", { spec: { schedulerName: "mine" } }),
      pod("leaving", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }),
    ];
    assert.deepEqual(placed(snapshot(nodes, pods)), ["a → gpu", "b → plain"]);
  });

  test("equal pods are spread, by room and by their controller", () => {
    const controller = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "r", uid: "r", controller: true };
    const replica = (name: string) => pod(name, { metadata: { ownerReferences: [controller] } });
    const nodeInfos = placed(snapshot([node("a"), node("b"), node("c")], ["1", "2", "3"].map(replica)));
    assert.deepEqual(nodeInfos, ["1 → a", "2 → b", "3 → c"]);
  });

  test("preferred nodes and preferred company win over room", () => {
    const preferred = (key: string) => [
      { weight: 50, preference: { matchExpressions: [{ key, operator: "Exists" as const }] } },
    ];
    const nodes = [node("a"), node("b", { labels: { fast: "" } }), node("c")];
    const friendly = {
      podAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 100,
            podAffinityTerm: { labelSelector: { matchLabels: { app: "db" } }, topologyKey: "kubernetes.io/hostname" },
          },
        ],
      },
    };
    const pods = [
      pod("db", { labels: { app: "db" }, on: "c", requests: { cpu: "1" } }),
      pod("p", {
        spec: { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred("fast") } } },
      }),
      pod("q", { spec: { affinity: friendly } }),
    ];
    assert.deepEqual(placed(snapshot(nodes, pods)), ["p → b", "q → c"]);
  });

  test("the first of a group that wants its own company finds it in itself", () => {
    const affinity = {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { labelSelector: { matchLabels: { app: "x" } }, topologyKey: "kubernetes.io/hostname" },
        ],
      },
    };
    const group = ["1", "2"].map((name) => pod(name, { labels: { app: "x" }, spec: { affinity } }));
    assert.deepEqual(placed(snapshot([node("a"), node("b")], group)), ["1 → a", "2 → a"]);
  });

  test("init containers take turns, sidecars stay: the hungriest moment counts", () => {
    const asks = (cpu: string) => ({ resources: { requests: { cpu } } });
    const hungry = (first: string) =>
      pod("p", {
        spec: {
          initContainers: [
            { name: "side", restartPolicy: "Always", ...asks("1") },
            { name: "init", ...asks(first) },
          ],
          containers: [{ name: "main", ...asks("2") }],
          overhead: { cpu: "500m" },
        },
      });
    assert.deepEqual(placed(snapshot([node("a")], [hungry("2500m")])), ["p → a"]);
    assert.match(placed(snapshot([node("a")], [hungry("2501m")]))[0] ?? "", /1 Insufficient cpu/);
  });
});

describe("preemption", () => {
  const one = { allocatable: { [gpu]: "1" } };
  const holder = (name: string, on: string, priority: number, more: Partial<Pod["metadata"]> = {}) =>
    pod(name, { on, requests: { [gpu]: "1" }, spec: { priority }, metadata: more, labels: { app: name } });
  const boss = (spec: Pod["spec"] | object = {}) =>
    pod("boss", { requests: { [gpu]: "1" }, spec: { priority: 100, ...spec } });
  const why = (all: number) => `0/${all} nodes are available: ${all} Insufficient ${gpu}.`;

  test("the least important goes, and the place is spoken for", () => {
    const observed = snapshot([node("a", one), node("b", one)], [holder("x", "a", 50), holder("y", "b", 10), boss()]);
    assert.deepEqual(placed(observed), [`boss ⇒ b instead of y: ${why(2)}`]);
    const later = pod("later", { requests: { [gpu]: "1" }, spec: { priority: 20 } });
    const [first, second] = placed({ ...observed, pods: [...observed.pods, later] });
    assert.equal(first, `boss ⇒ b instead of y: ${why(2)}`);
    assert.match(second ?? "", /^later: 0\/2 nodes are available: 2 Insufficient nvidia.com\/gpu/);
  });

  test("a budget is broken only where there is no other way", () => {
    const budget = (app: string): PodDisruptionBudget => ({
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: app, namespace: "default" },
      spec: { selector: { matchLabels: { app } } },
      status: { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
    });
    const pods = [holder("x", "a", 50), holder("y", "b", 10), boss()];
    const nodes = [node("a", one), node("b", one)];
    assert.match(placed(snapshot(nodes, pods, { budgets: [budget("y")] }))[0] ?? "", /^boss ⇒ a instead of x/);
    assert.match(
      placed(snapshot(nodes, pods, { budgets: [budget("x"), budget("y")] }))[0] ?? "",
      /^boss ⇒ b instead of y/,
    );
  });

  test("as many as possible stay", () => {
    const three = node("a", { allocatable: { [gpu]: "3" } });
    const pods = [holder("x", "a", 1), holder("y", "a", 2), holder("z", "a", 3), boss()];
    assert.match(placed(snapshot([three], pods))[0] ?? "", /^boss ⇒ a instead of x:/);
  });

  test("victims that are leaving are waited for; then the place is taken", () => {
    const leaving = {
      ...holder("x", "a", 1, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
      status: { conditions: [{ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" }] },
    };
    const nominated = { ...boss(), status: { nominatedNodeName: "a" } };
    assert.deepEqual(placed(snapshot([node("a", one)], [leaving, nominated])), ["boss waits for a"]);
    assert.deepEqual(placed(snapshot([node("a", one)], [nominated])), ["boss → a"]);
  });

  test("one that may not preempt says so", () => {
    const observed = snapshot([node("a", one)], [holder("x", "a", 1), boss({ preemptionPolicy: "Never" })]);
    const message = "no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.";
    assert.deepEqual(placed(observed), [`boss: ${why(1)} ${message}`]);
  });
});

test("no room is ever given twice, whatever comes", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(sizes, sizes, (spaces, requests) => {
      const nodes = spaces.map((gpus, i) => node(`n${i}`, { allocatable: { [gpu]: String(gpus) } }));
      const pods = requests.map((gpus, i) =>
        pod(`p${i}`, { requests: { [gpu]: String(gpus) }, spec: { priority: gpus % 3 } }),
      );
      const taken = new Map<string, number>();
      for (const placement of placePods(snapshot(nodes, pods), "default-scheduler")) {
        if (placement.is !== "bound") continue;
        const wanted = requests[Number(placement.pod.metadata.name?.slice(1))] as number;
        taken.set(placement.node, (taken.get(placement.node) ?? 0) + wanted);
      }
      return spaces.every((gpus, i) => (taken.get(`n${i}`) ?? 0) <= gpus);
    }),
  );
});
