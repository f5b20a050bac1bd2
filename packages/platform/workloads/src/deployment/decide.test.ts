import assert from "node:assert/strict";
import { test } from "node:test";
import type { Deployment, ReplicaSet } from "@trivium/kube";
import type { Decision, Desired } from "@trivium/reconcile";
import { absent, type Fact, type JsonObject, pending } from "@trivium/std";
import { type Case, type Vocabulary, violationsOf } from "@trivium/testkit";
import { before, head, labels, now, replicaSet, selector, template, uidOf } from "../pods/world.fixture.ts";
import { deploymentVocabulary } from "./conditions.ts";
import { decideDeployment } from "./decide.ts";
import type { ObservedDeployment } from "./reconciler.ts";
import type { DeploymentStatus } from "./status.ts";

interface Request extends Partial<Deployment["spec"]> {
  readonly image?: string;
  readonly surge?: number | string;
  readonly unavailable?: number | string;
  readonly status?: DeploymentStatus;
}

function deployment({
  image = "web:2",
  surge = "25%",
  unavailable = "25%",
  status,
  ...spec
}: Request = {}): Deployment {
  const rollingUpdate = { maxSurge: surge, maxUnavailable: unavailable };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: head("web", { annotations: { team: "a", "kubectl.kubernetes.io/last-applied-configuration": "{}" } }),
    spec: {
      replicas: 3,
      selector,
      template: template(image),
      strategy: { type: "RollingUpdate", rollingUpdate },
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      ...spec,
    },
    ...(status && { status }),
  };
}

const owner = deployment();
const old = (request: Parameters<typeof replicaSet>[1] = {}) =>
  replicaSet("web-old", { owner, image: "web:1", revision: 1, age: 900, ...request });
const young = ({ annotations, ...request }: NonNullable<Parameters<typeof replicaSet>[1]> = {}) =>
  replicaSet("web-new", {
    owner,
    image: "web:2",
    revision: 2,
    age: 60,
    ...request,
    annotations: { team: "a", ...annotations },
  });
const observed = (own: readonly ReplicaSet[], more: Partial<ObservedDeployment> = {}): ObservedDeployment => ({
  sets: { own, orphans: [] },
  nameHolder: absent,
  running: {},
  ...more,
});

type Converge = Extract<Decision<DeploymentStatus>, { do: "converge" }>;
const decide = (object: Deployment, world: ObservedDeployment, at = now): Converge =>
  decideDeployment(object, world, at) as Converge;

/** `name size` of every set that changes. */
const sizes = ({ children }: Converge): string[] =>
  children
    .filter(({ keep }) => !keep)
    .map(
      ({ object }: Desired) =>
        `${object.metadata.name?.startsWith("web-") ? object.metadata.name : ""} ${(object as ReplicaSet).spec.replicas}`,
    );
const reasons = ({ status }: Converge): string[] =>
  (status.conditions ?? []).map(({ type, status: is, reason }) => `${type} ${is} ${reason}`);

test("the first set is made whole, with revision, sizes and the deployment's annotations", () => {
  const decision = decide(deployment(), observed([]));
  const [made] = decision.children.map(({ object }) => object as ReplicaSet);
  const hash = made?.metadata.labels?.["pod-template-hash"] ?? "";
  assert.equal(made?.metadata.name, `web-${hash}`);
  assert.deepEqual(made?.metadata.annotations, {
    team: "a",
    "deployment.kubernetes.io/revision": "1",
    "deployment.kubernetes.io/desired-replicas": "3",
    "deployment.kubernetes.io/max-replicas": "4",
  });
  assert.deepEqual(made?.spec, {
    replicas: 3,
    minReadySeconds: 0,
    selector: { matchLabels: { ...labels, "pod-template-hash": hash } },
    template: { metadata: { labels: { ...labels, "pod-template-hash": hash } }, spec: template("web:2").spec },
  });
  assert.deepEqual(reasons(decision), [
    "Progressing True NewReplicaSetCreated",
    "Available False MinimumReplicasUnavailable",
  ]);
  assert.deepEqual(
    decision.patches?.map((patch) => patch.patch === "fields" && patch.object.metadata.annotations),
    [{ "deployment.kubernetes.io/revision": "1" }],
  );
});

test("steps of a rolling update", () => {
  const steps: readonly (readonly [string, Request, readonly ReplicaSet[], readonly string[]])[] = [
    ["a new set starts with the surge", {}, [old({ size: 3 })], ["1"]],
    ["an old one goes when a new one is there", {}, [old({ size: 3 }), young({ size: 1 })], ["web-old 2"]],
    ["nobody goes while the new one does not work", {}, [old({ size: 3 }), young({ size: 1, available: 0 })], []],
    ["the new set grows into the room", {}, [old({ size: 2 }), young({ size: 1 })], ["web-new 2"]],
    [
      "half may be missing",
      { unavailable: "50%", surge: 0, replicas: 4 },
      [old({ size: 4 }), young({ size: 0, available: 0 })],
      ["web-old 2"],
    ],
    [
      "pods that do not work go first",
      {},
      [old({ size: 3, available: 2 }), young({ size: 1, available: 1 })],
      ["web-old 2"],
    ],
    ["too large a new set shrinks", { replicas: 2 }, [young({ size: 4 })], ["web-new 2"]],
    [
      "no surge and none missing means one may be missing",
      { surge: 0, unavailable: "1%" },
      [old({ size: 3 }), young({ size: 0, available: 0 })],
      ["web-old 2"],
    ],
    ["all at once", { surge: "100%" }, [old({ size: 3 }), young({ size: 0, available: 0 })], ["web-new 3"]],
  ];
  for (const [name, request, sets, expected] of steps) {
    const made = sizes(decide(deployment(request), observed(sets))).map((size) =>
      size.replace(/^web-(?!old|new)\S+ /, ""),
    );
    assert.deepEqual(made, expected, name);
  }
});

test("a change of size keeps the proportions of a rollout", () => {
  const annotations = {
    "deployment.kubernetes.io/desired-replicas": "10",
    "deployment.kubernetes.io/max-replicas": "13",
  };
  const sets = [old({ size: 8, annotations }), young({ size: 5, available: 0, annotations })];
  assert.deepEqual(sizes(decide(deployment({ replicas: 15, surge: 3, unavailable: 2 }), observed(sets))), [
    "web-new 7",
    "web-old 11",
  ]);
  assert.deepEqual(sizes(decide(deployment({ replicas: 0, surge: 3 }), observed(sets))), ["web-new 0", "web-old 0"]);
});

test("Recreate waits until the last old pod is gone", () => {
  const recreate: Request = { strategy: { type: "Recreate" } };
  assert.deepEqual(sizes(decide(deployment(recreate), observed([old({ size: 3 })]))), ["web-old 0"]);
  const empty = old({ size: 0 });
  assert.deepEqual(sizes(decide(deployment(recreate), observed([empty], { running: { [uidOf("web-old")]: 1 } }))), []);
  assert.equal(sizes(decide(deployment(recreate), observed([empty]))).length, 1);
});

test("going back to an earlier template raises its revision and keeps its history", () => {
  const back = deployment({ image: "web:1" });
  const { children } = decide(
    back,
    observed([
      old({ size: 0, annotations: { "deployment.kubernetes.io/revision-history": "1" }, revision: 3 }),
      young({ size: 3, revision: 4 }),
    ]),
  );
  const annotations = children.find(({ object }) => object.metadata.name === "web-old")?.object.metadata.annotations;
  assert.equal(annotations?.["deployment.kubernetes.io/revision"], "5");
  assert.equal(annotations?.["deployment.kubernetes.io/revision-history"], "1,3");
});

test("sets beyond the history go once the rollout is complete and they are empty", () => {
  const status: DeploymentStatus = { observedGeneration: 1, replicas: 3, updatedReplicas: 3, availableReplicas: 3 };
  const past = [1, 2, 3].map((revision) =>
    replicaSet(`web-${revision}`, { owner, image: `old:${revision}`, revision, size: 0 }),
  );
  const kept = (object: Deployment) =>
    decide(object, observed([...past, young({ size: 3, revision: 4 })])).children.map(
      (child) => child.object.metadata.name,
    );
  assert.deepEqual(kept(deployment({ revisionHistoryLimit: 1, status })), ["web-3", "web-new"]);
  assert.equal(kept(deployment({ revisionHistoryLimit: 1 })).length, 4, "not before it is complete");
});

const progress = (reason: string, seconds: number, status = "True") => [
  {
    type: "Progressing",
    status,
    reason,
    message: "m",
    lastUpdateTime: before(seconds),
    lastTransitionTime: before(seconds),
  },
];

test("a rollout that does not move is stuck after its deadline, exactly then", () => {
  const status: DeploymentStatus = {
    observedGeneration: 1,
    replicas: 4,
    updatedReplicas: 1,
    readyReplicas: 3,
    availableReplicas: 3,
    unavailableReplicas: 1,
    conditions: progress("ReplicaSetUpdated", 500),
  };
  const object = deployment({ status });
  const world = observed([old({ size: 3 }), young({ size: 1, available: 0, pods: 1 })]);
  const waiting = decide(object, world);
  assert.equal(waiting.recheckIn, 100_001);
  assert.equal(reasons(decide(object, world, now + 100_000))[0], "Progressing True ReplicaSetUpdated");
  const late = decide(object, world, now + 100_001);
  assert.ok(reasons(late).includes("Progressing False ProgressDeadlineExceeded"));
  assert.equal(late.recheckIn, undefined);
});

test("a pause is said, ends the watch for progress, and keeps a template from rolling out", () => {
  const status: DeploymentStatus = { observedGeneration: 1, conditions: progress("NewReplicaSetAvailable", 900) };
  const paused = decide(deployment({ paused: true, status }), observed([old({ size: 3 })]));
  assert.deepEqual(sizes(paused), []);
  assert.ok(reasons(paused).includes("Progressing Unknown DeploymentPaused"));
  const resumed = decide(
    deployment({ status: { conditions: progress("DeploymentPaused", 900, "Unknown") } }),
    observed([young({ size: 3, pods: 0, available: 0 })]),
  );
  assert.ok(reasons(resumed).includes("Progressing Unknown DeploymentResumed"));
});

test("a name that somebody else has is told apart by counting collisions; a dark fact holds", () => {
  const taken = decideDeployment(deployment(), observed([], { nameHolder: { is: "known", value: "other" } }), now);
  assert.deepEqual([taken.do, taken.do === "hold" && taken.status.collisionCount], ["hold", 1]);
  assert.equal(decideDeployment(deployment(), observed([], { nameHolder: pending as Fact<string> }), now).do, "hold");
});

test("the laws hold", () => {
  const moving: DeploymentStatus = {
    observedGeneration: 1,
    replicas: 3,
    updatedReplicas: 1,
    conditions: progress("ReplicaSetUpdated", 30),
  };
  const world = (
    name: string,
    object: Deployment,
    sets: readonly ReplicaSet[],
    more = {},
  ): Case<Deployment, ObservedDeployment> => ({
    name,
    object,
    observed: observed(sets, more),
    now,
  });
  const cases = [
    world("new", deployment(), []),
    world("rolling", deployment({ status: moving }), [old({ size: 2 }), young({ size: 1 })]),
    world("stuck", deployment({ status: { ...moving, conditions: progress("ReplicaSetUpdated", 601) } }), [
      old({ size: 3 }),
      young({ size: 1, available: 0 }),
    ]),
    world("paused", deployment({ paused: true }), [old({ size: 3 })]),
    world("recreate", deployment({ strategy: { type: "Recreate" } }), [old({ size: 0 })], {
      running: { [uidOf("web-old")]: 2 },
    }),
    world("proportions", deployment({ replicas: 9 }), [
      old({
        size: 3,
        annotations: { "deployment.kubernetes.io/desired-replicas": "4", "deployment.kubernetes.io/max-replicas": "5" },
      }),
      young({
        size: 2,
        annotations: { "deployment.kubernetes.io/desired-replicas": "4", "deployment.kubernetes.io/max-replicas": "5" },
      }),
    ]),
  ];
  const words: Vocabulary = { conditions: deploymentVocabulary, notes: ["ScalingReplicaSet"] };
  assert.deepEqual(
    violationsOf({ name: "deployment-controller", hasPlainConditions: true, decide: timeless }, cases, words),
    [],
  );
});

/** Beside the time of its last transition a condition of a Deployment has one of its last update, which no law is about. */
function timeless(object: Deployment, world: ObservedDeployment, at: number): Decision<DeploymentStatus> {
  const decision = decideDeployment(object, world, at);
  if (decision.do === "release") return decision;
  const conditions = (decision.status.conditions ?? []).map(
    ({ lastUpdateTime: _, ...rest }) => rest as JsonObject & typeof rest,
  );
  return { ...decision, status: { ...decision.status, conditions } };
}
