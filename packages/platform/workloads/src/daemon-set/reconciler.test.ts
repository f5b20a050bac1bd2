import assert from "node:assert/strict";
import { test } from "node:test";
import type { DaemonSet, Node, Pod, Taint, Toleration } from "@trivium/kube";
import type { Decision } from "@trivium/reconcile";
import { absent } from "@trivium/std";
import { type Case, type Vocabulary, violationsOf } from "@trivium/testkit";
import {
  head,
  labels,
  now,
  type PodOptions,
  pod,
  revision,
  selector,
  summarize,
  template,
} from "../pods/world.fixture.ts";
import { daemonSetReconciler, type ObservedDaemonSet } from "./reconciler.ts";

type Converge = Extract<Decision<NonNullable<DaemonSet["status"]>>, { do: "converge" }>;
type Spec = Partial<DaemonSet["spec"]>;

function daemonSet({ image = "web:1", ...spec }: Spec & { image?: string } = {}): DaemonSet {
  const rollingUpdate = { maxUnavailable: 1, maxSurge: 0 };
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: head("web"),
    spec: { selector, template: template(image), updateStrategy: { type: "RollingUpdate", rollingUpdate }, ...spec },
  };
}

const owner = daemonSet();
const first = revision(owner, 1, "web:1");
const second = revision(owner, 2, "web:2");
const node = (name: string, taints: Taint[] = [], more: Record<string, string> = {}): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels: more },
  spec: { taints },
});
const nodes = ["a", "b", "c"].map((name) => node(name));
const daemon = (name: string, on: string, request: PodOptions & { revision?: string } = {}): Pod =>
  pod(name, {
    owner,
    node: on,
    ready: 60,
    labels: { ...labels, "controller-revision-hash": request.revision ?? "web:1" },
    ...request,
  });

const observed = (own: readonly Pod[], more: Partial<ObservedDaemonSet> = {}): ObservedDaemonSet => ({
  pods: { own, orphans: [] },
  nodes,
  revisions: { own: [first], orphans: [] },
  nameHolder: absent,
  ...more,
});
const decide = (set: DaemonSet, world: ObservedDaemonSet): Converge =>
  daemonSetReconciler.decide(set, world, now) as Converge;
const nodeOf = ({ spec }: Pod) =>
  spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms[0]?.matchFields?.[0]
    ?.values?.[0];

/** Nodes that get a pod, and pods that go. */
function pods(set: DaemonSet, own: readonly Pod[], more: Partial<ObservedDaemonSet> = {}): string[] {
  const { children } = decide(set, observed(own, more));
  const made = children.filter(({ createOnly }) => createOnly).map(({ object }) => `+${nodeOf(object as Pod)}`);
  const kept = summarize({ do: "converge", children });
  const staying = own
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.name);
  return [...made, ...staying.filter((name) => !kept.includes(`=${name}`)).map((name) => `-${name}`)];
}

test("every node that fits has one pod", () => {
  assert.deepEqual(pods(daemonSet(), []), ["+a", "+b", "+c"]);
  assert.deepEqual(pods(daemonSet(), [daemon("x", "a"), daemon("y", "b")]), ["+c"]);
  assert.deepEqual(pods(daemonSet(), [daemon("x", "a"), daemon("y", "b"), daemon("z", "c"), daemon("zz", "c")]), [
    "-zz",
  ]);
  const ending = [daemon("x", "a", { isEnding: true }), daemon("y", "b"), daemon("z", "c")];
  assert.deepEqual(pods(daemonSet(), ending), [], "the one before it has to be gone");
  const lost = pod("lost", { owner, node: "", phase: "Pending" });
  assert.deepEqual(pods(daemonSet(), [lost], { nodes: [] }), ["-lost"], "its node is no more");
});

test("taints keep pods away, drive them off, or are tolerated", () => {
  const taint = (key: string, effect: Taint["effect"]): Taint => ({ key, effect });
  const tainted = (given: Taint) => ({ nodes: [node("a", [given])] });
  const there = [daemon("x", "a")];
  assert.deepEqual(pods(daemonSet(), [], tainted(taint("gpu", "NoSchedule"))), []);
  assert.deepEqual(pods(daemonSet(), there, tainted(taint("gpu", "NoSchedule"))), [], "it may stay");
  assert.deepEqual(pods(daemonSet(), there, tainted(taint("gpu", "NoExecute"))), ["-x"]);
  assert.deepEqual(pods(daemonSet(), [], tainted(taint("node.kubernetes.io/not-ready", "NoExecute"))), ["+a"]);
  assert.deepEqual(pods(daemonSet(), [], tainted(taint("node.kubernetes.io/unschedulable", "NoSchedule"))), ["+a"]);
  const tolerations: Toleration[] = [{ key: "gpu", operator: "Exists" }];
  const tolerant = { ...template(), spec: { ...template().spec, tolerations } };
  assert.deepEqual(pods(daemonSet({ template: tolerant }), [], tainted(taint("gpu", "NoSchedule"))), ["+a"]);
  const picky = { ...template(), spec: { ...template().spec, nodeSelector: { disk: "ssd" } } };
  assert.deepEqual(pods(daemonSet({ template: picky }), [], { nodes: [node("a"), node("b", [], { disk: "ssd" })] }), [
    "+b",
  ]);
});

test("an update replaces as many as may be missing, and what does not work at once", () => {
  const set = (spec: Spec = {}) => daemonSet({ image: "web:2", ...spec });
  const history = { revisions: { own: [first, second], orphans: [] } };
  const all = [daemon("x", "a"), daemon("y", "b"), daemon("z", "c")];
  assert.deepEqual(pods(set(), all, history), ["-x"]);
  assert.deepEqual(pods(set(), all.with(0, daemon("x", "a", { isEnding: true })), history), []);
  assert.deepEqual(
    pods(set(), all.with(1, pod("y", { owner, node: "b" })), history),
    ["-y"],
    "it does not work anyway",
  );
  const many = {
    updateStrategy: { type: "RollingUpdate" as const, rollingUpdate: { maxUnavailable: "60%", maxSurge: 0 } },
  };
  assert.deepEqual(pods(set(many), all, history), ["-x", "-y"]);
  assert.deepEqual(pods(set({ updateStrategy: { type: "OnDelete" } }), all, history), []);
});

test("with a surge the new pod stands beside the old one until it works", () => {
  const updateStrategy = { type: "RollingUpdate" as const, rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
  const set = daemonSet({ image: "web:2", updateStrategy });
  const history = { revisions: { own: [first, second], orphans: [] } };
  const all = [daemon("x", "a"), daemon("y", "b"), daemon("z", "c")];
  assert.deepEqual(pods(set, all, history), ["+a"]);
  const starting = pod("x2", { owner, node: "a", labels: { ...labels, "controller-revision-hash": "web:2" } });
  assert.deepEqual(pods(set, [...all, starting], history), []);
  assert.deepEqual(pods(set, [...all, daemon("x2", "a", { revision: "web:2" })], history), ["-x"]);
});

test("a pod that failed is replaced, but not without end", () => {
  const old = daemon("x", "a", { phase: "Failed", age: 60 });
  const only = { nodes: [node("a")] };
  const decision = decide(daemonSet(), observed([old], only));
  assert.deepEqual(
    decision.notes?.map(({ reason, message }) => `${reason} ${message}`),
    [
      "FailedDaemonPod Found failed daemon pod default/x on node a, will try to kill it",
      "SuccessfulDelete Deleted pod: x",
    ],
  );
  const young = decide(daemonSet(), observed([daemon("x", "a", { phase: "Failed", age: 4 })], only));
  assert.deepEqual([summarize(young).includes("=x"), young.recheckIn], [true, 6_000]);
});

test("the status counts nodes", () => {
  const own = [daemon("x", "a"), pod("y", { owner, node: "b" }), daemon("w", "d")];
  const more = { nodes: [...nodes, node("d", [{ key: "gpu", effect: "NoSchedule" }])] };
  assert.deepEqual(decide(daemonSet(), observed(own, more)).status, {
    desiredNumberScheduled: 3,
    currentNumberScheduled: 2,
    numberMisscheduled: 1,
    numberReady: 1,
    observedGeneration: 1,
    updatedNumberScheduled: 1,
    numberAvailable: 1,
    numberUnavailable: 2,
  });
});

test("the laws hold", () => {
  const world = (name: string, object: DaemonSet, more: ObservedDaemonSet): Case<DaemonSet, ObservedDaemonSet> => ({
    name,
    object,
    observed: more,
    now,
  });
  const all = [daemon("x", "a"), daemon("y", "b"), daemon("z", "c")];
  const cases = [
    world("new", daemonSet(), observed([], { revisions: { own: [], orphans: [] } })),
    world("update", daemonSet({ image: "web:2" }), observed(all, { revisions: { own: [second, first], orphans: [] } })),
    world("waiting", daemonSet({ minReadySeconds: 90 }), observed(all)),
    world(
      "failed",
      daemonSet(),
      observed([daemon("x", "a", { phase: "Failed", age: 4 }), daemon("y", "b", { phase: "Succeeded" })]),
    ),
  ];
  const words: Vocabulary = { conditions: {}, notes: ["SuccessfulDelete", "FailedDaemonPod", "SucceededDaemonPod"] };
  assert.deepEqual(violationsOf(daemonSetReconciler, cases, words), []);
});
