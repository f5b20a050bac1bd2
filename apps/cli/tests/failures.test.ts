import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { aim } from "@trivium/aim";
import type {
  Explanation,
  FailureKind,
  ImageFault,
  ObservedContainer,
  ObservedPod,
  ServingDialect,
} from "@trivium/domain";
import { findFailure } from "@trivium/engines";
import type { Condition, KubeObject } from "@trivium/kube";
import { llmkube } from "@trivium/llmkube";
import { ome } from "@trivium/ome";
import type { AnyReconciler } from "@trivium/reconcile";
import { hasInstruction, namesObject, readCases, type SavedCase } from "@trivium/testkit";

/**
 * Every failure that the middle knows, played through the three dialects: what one dialect's users are told, the users of the others are
 * told too. A service that has pods is taken from the saved cases, and its pods are replaced by ones that fail.
 */
interface Player {
  readonly dialect: ServingDialect;
  readonly reconciler: string;
  readonly folder: string;
  /** A case in which pods exist and do not serve. */
  readonly base: string;
  /** The world of the case with other pods, or with pods that their controller cannot create. */
  plant(observed: World, planted: Planted): World;
}
type World = Readonly<Record<string, unknown>>;
interface Planted {
  readonly pods: readonly ObservedPod[];
  readonly refused?: string;
}

const folder = (dialect: string, kind: string): string =>
  join(import.meta.dirname, `../../../packages/dialects/${dialect}/src/${kind}/cases`);
const known = (value: unknown) => ({ is: "known", value });

const players: readonly Player[] = [
  {
    dialect: aim,
    reconciler: "aim.service",
    folder: folder("aim", "service"),
    base: "plain-crash",
    plant: (observed, { pods, refused }) => ({
      ...observed,
      pods,
      deployment: known({ replicas: 1, ...(refused === undefined ? {} : { refused }) }),
    }),
  },
  {
    dialect: ome,
    reconciler: "ome.inference-service",
    folder: folder("ome", "inference-service"),
    base: "c17-crash",
    plant: (observed, { pods, refused }) => {
      const { deployments, pods: before } = observed as {
        deployments: { engine: { value: object } };
        pods: object;
      };
      const engine = known({ ...deployments.engine.value, ...(refused === undefined ? {} : { refused }) });
      return { ...observed, pods: { ...before, engine: pods }, deployments: { ...deployments, engine } };
    },
  },
  {
    dialect: llmkube,
    reconciler: "llmkube.inference-service",
    folder: folder("llmkube", "inference-service"),
    base: "out-of-memory",
    plant: (observed, { pods, refused }) => ({
      ...observed,
      pods,
      ...(refused === undefined ? {} : { deployment: known({ uid: "u", selector: {}, replicas: 1, refused }) }),
    }),
  },
];

const container = (change: Partial<ObservedContainer>): ObservedContainer => ({
  name: "server",
  role: "serves",
  isReady: false,
  restarts: 3,
  state: { is: "waiting", reason: "CrashLoopBackOff", message: "back-off" },
  ...change,
});
const pod = (change: Partial<ObservedPod> = {}): ObservedPod => ({
  name: "p1",
  phase: "Running",
  isReady: false,
  isLeaving: false,
  template: "TEMPLATE",
  containers: [container({})],
  ...change,
});
const waiting = (reason: string, message: string): Planted => ({
  pods: [
    pod({ phase: "Pending", containers: [container({ restarts: 0, state: { is: "waiting", reason, message } })] }),
  ],
});
const ended = (exitCode: number, reason: string, change: Partial<ObservedContainer> = {}): Planted => ({
  pods: [pod({ containers: [container({ lastEnd: { exitCode, reason, message: "" }, ...change })] })],
});
const logged = (message: string): Planted => ended(1, "Error", { lastEnd: { exitCode: 1, reason: "Error", message } });
const preparing = (exitCode: number, message: string): Planted =>
  ended(exitCode, "Error", { name: "fetch", role: "prepares", lastEnd: { exitCode, reason: "Error", message } });
const unhealthy = (message: string, change: Partial<ObservedPod> = {}): Planted => ({
  pods: [
    pod({
      containers: [container({ restarts: 0, state: { is: "running", isStarted: true, since: 0 } })],
      warning: { is: "known", value: { reason: "Unhealthy", message } } as never,
      ...change,
    }),
  ],
});
const warned = (reason: string, message: string): Planted => ({
  pods: [
    pod({
      phase: "Pending",
      containers: [container({ restarts: 0, state: { is: "waiting", reason: "ContainerCreating", message: "" } })],
      warning: { is: "known", value: { reason, message } } as never,
    }),
  ],
});
const unbound = (claim: NonNullable<ObservedPod["claims"]>[number]): Planted => ({
  pods: [
    pod({
      phase: "Pending",
      unschedulable: "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.",
      containers: [],
      claims: [claim],
    }),
  ],
});
const unschedulable = (message: string, change: Partial<ObservedPod> = {}): Planted => ({
  pods: [pod({ phase: "Pending", unschedulable: message, containers: [], ...change })],
});

/** What is planted, and what the status has to name. */
const failures: readonly (readonly [name: string, planted: Planted, cause: RegExp])[] = [
  ["out of memory with a limit", ended(137, "OOMKilled", { memoryLimit: "2Gi" }), /limit of 2Gi \(OOMKilled\)/],
  ["out of memory without a limit", ended(137, "OOMKilled"), /no memory limit/],
  ["a crash", logged("bad flag"), /keeps crashing \(exit code 1\).*bad flag/],
  [
    "an argument that the engine does not know",
    logged("error: unrecognized arguments: --foo"),
    /unrecognized arguments: --foo; correct its arguments in /,
  ],
  [
    "a driver that is too old for the engine",
    logged("CUDA driver version is insufficient for CUDA runtime version"),
    /driver version is insufficient.*; update the driver of the node/,
  ],
  [
    "a model that the engine does not support",
    logged("error loading model: unknown model architecture: 'new'"),
    /cannot load the model.*unknown model architecture/,
  ],
  [
    "weights that a container of the pod cannot download",
    preparing(3, "hf://acme/tiny does not exist"),
    /exited with code 3: hf:\/\/acme\/tiny does not exist/,
  ],
  ["an image that needs a login", waiting("ImagePullBackOff", "401 Unauthorized"), /Image of .* is not available/],
  ["an image that does not exist", waiting("ErrImagePull", "manifest unknown: not found"), /Image of .* is not/],
  ["an image name that is invalid", waiting("InvalidImageName", "couldn't parse image name"), /Image of .* is not/],
  [
    "a registry that limits requests",
    waiting("ErrImagePull", "toomanyrequests: rate limit"),
    /Image of .* rate limit; add a Secret/,
  ],
  ["a registry whose certificate is not trusted", waiting("ErrImagePull", "x509: unknown authority"), /certificate/],
  ["a registry that does not answer", waiting("ErrImagePull", "dial tcp: no such host"), /Image of .* no such host/],
  [
    "an image for another platform",
    waiting("ErrImagePull", "no matching manifest for linux/arm64 in the manifest list entries"),
    /Image of .* linux\/arm64/,
  ],
  [
    "an image for which this machine has no program",
    waiting("ErrImageNeverPull", "no program of this machine serves image example.com/engine:1"),
    /Image of .* no program of this machine/,
  ],
  ["an image that is not available for no stated cause", waiting("ErrImagePull", "failed"), /Image of .* is not/],
  [
    "an engine without a build for the GPU",
    waiting("EngineBuildMissing", "no build of llama.cpp for CUDA is installed"),
    /no build of llama\.cpp for CUDA/,
  ],
  [
    "a ConfigMap that does not exist",
    waiting("CreateContainerConfigError", 'configmap "settings" not found'),
    /ConfigMap settings not found/,
  ],
  [
    "a volume that cannot be mounted",
    warned("FailedMount", 'MountVolume.SetUp failed for volume "tls" : secret "tls" not found'),
    /tls/,
  ],
  [
    "a container runtime that creates no sandbox",
    warned("FailedCreatePodSandBox", "failed to set up network: no free addresses"),
    /no free addresses/,
  ],
  [
    "a Secret that does not exist",
    waiting("CreateContainerConfigError", 'secret "hf" not found'),
    /Secret hf not found/,
  ],
  [
    "a key that a Secret lacks",
    waiting("CreateContainerConfigError", "couldn't find key token in Secret team/hf"),
    /Secret hf has no key token/,
  ],
  [
    "a command that the image lacks",
    waiting("CreateContainerError", 'exec: "vllm": executable file not found in $PATH'),
    /executable file not found/,
  ],
  [
    "too little memory on the nodes",
    unschedulable("0/1 nodes are available: 1 Insufficient memory.", {
      shortages: [{ resource: "memory", requested: 900 * 1024 ** 3, offered: 23 * 1024 ** 3 }],
    }),
    /cannot be scheduled: .*it needs 900Gi of memory, and the largest node offers 23Gi/,
  ],
  [
    "too few GPUs on the nodes",
    unschedulable("0/1 nodes are available: 1 Insufficient nvidia.com/gpu.", {
      shortages: [{ resource: "nvidia.com/gpu", requested: 8, offered: 4 }],
    }),
    /it needs 8 nvidia\.com\/gpu, and the largest node offers 4/,
  ],
  [
    "a taint that is not tolerated",
    unschedulable("0/1 nodes are available: 1 node(s) had untolerated taint(s)."),
    /taint/,
  ],
  [
    "a node selector that no node matches",
    unschedulable("0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."),
    /selector|affinity/,
  ],
  [
    "a node whose disk is full",
    unschedulable("0/1 nodes are available: 1 node(s) had untolerated taint(s).", {
      nodeFaults: [{ node: "n1", is: "disk-pressure" }],
    }),
    /disk/,
  ],
  [
    "a claim that does not exist",
    unbound({ name: "weights", fault: "no claim" }),
    /PersistentVolumeClaim weights not found/,
  ],
  [
    "a claim whose StorageClass does not exist",
    unbound({ name: "weights", storageClass: "fast", fault: "no class" }),
    /StorageClass fast not found/,
  ],
  [
    "a claim without a StorageClass",
    unbound({ name: "weights", fault: "no default class" }),
    /PersistentVolumeClaim weights .*default StorageClass/,
  ],
  [
    "a quota",
    { pods: [], refused: "pods is forbidden: exceeded quota: q, requested: pods=1" },
    /ResourceQuota q is exceeded/,
  ],
  [
    "a webhook that refuses the pods",
    { pods: [], refused: 'admission webhook "policy.example" denied the request: no privileged pods' },
    /policy\.example|no privileged/,
  ],
  [
    "a ServiceAccount that does not exist",
    {
      pods: [],
      refused: 'pods "x" is forbidden: error looking up service account team/sa: serviceaccount "sa" not found',
    },
    /serviceaccount "sa" not found|ServiceAccount sa not found/,
  ],
  [
    "Pod Security that refuses the pods",
    { pods: [], refused: 'pods "x" is forbidden: violates PodSecurity "restricted:latest": privileged' },
    /Pod Security level restricted/,
  ],
  [
    "a startup probe that never succeeds",
    unhealthy("Startup probe failed: HTTP probe failed with statuscode: 503", {
      containers: [
        container({
          restarts: 3,
          state: { is: "running", isStarted: false, since: 0 },
          lastEnd: { exitCode: 137, reason: "Error", message: "" },
        }),
      ],
    }),
    /Startup probe of container server of Pod p1 received status 503.*still loading/,
  ],
  ["a probe with a wrong path", unhealthy("Readiness probe failed: HTTP probe failed with statuscode: 404"), /404/],
  [
    "an eviction",
    { pods: [pod({ phase: "Failed", failure: "Evicted: The node was low on memory", containers: [] })] },
    /evicted/,
  ],
];

/** Failures of something else than pods: saved cases in which they happen. */
type Saved = string | BesideService;
/** The service itself works, so that another condition than the summary reports it. */
interface BesideService {
  readonly case: string;
  readonly condition: string;
}
type Cells = Readonly<Record<string, Saved>>;
const elsewhere: readonly (readonly [name: string, cases: Cells, cause: RegExp])[] = [
  [
    "a model that does not exist",
    { aim: "model-not-found", ome: "model-missing", llmkube: "i01-model-missing" },
    /not found/,
  ],
  [
    "weights that no node can hold",
    { aim: "does-not-fit", ome: "does-not-fit", llmkube: "does-not-fit-node" },
    /No node has enough memory/,
  ],
  [
    "a memory request that no node can ever meet",
    {
      aim: { case: "impossible-request", condition: "Fits" },
      ome: { case: "impossible-request", condition: "Fits" },
      llmkube: { case: "impossible-request", condition: "Fits" },
    },
    /No node has enough memory: a pod requests 900\.0Gi, and the largest node offers 23\.0Gi; request at most that/,
  ],
  [
    "weights that cannot be downloaded",
    { aim: "k18-cache-failed", ome: "model-failed", llmkube: "i36-download-unauthorized" },
    /failed|401|token/,
  ],
  [
    "a route that the Gateway does not accept",
    { aim: "route-refused", ome: "ingress-refused", llmkube: { case: "route-refused", condition: "RouteReady" } },
    /NotAllowedByListeners/,
  ],
  [
    "another controller that gives up",
    { aim: "kserve-failed", ome: "knative-failed", llmkube: "metal-stale" },
    /NoSupportingRuntime|OOMKilled|RevisionFailed|Metal agent of .* has not reported/,
  ],
];

const worlds = new Map(players.map((player) => [player, readCases(player.folder)]));

function conditionsOf(player: Player, name: string, planted?: Planted): Condition[] {
  const { summary, causes } = player.dialect.statusGuide;
  return allConditions(player, name, planted).filter(({ type }) => type === summary || causes.includes(type));
}

function allConditions(player: Player, name: string, planted?: Planted): Condition[] {
  const { dialect, plant } = player;
  const saved = worlds.get(player)?.find((one) => one.name === name) as SavedCase | undefined;
  assert.ok(saved, `case ${name} exists`);
  const reconciler = dialect.reconcilers.find((one) => one.name === player.reconciler) as AnyReconciler;
  const observed = planted === undefined ? saved.observed : plant(saved.observed as World, planted);
  const decision = reconciler.decide(saved.object, observed, saved.now);
  assert.notEqual(decision.do, "release");
  const { status } = decision as { status: { conditions?: Condition[] } };
  return status.conditions ?? [];
}

/** What `explain` and the dashboard get from the decision. */
function explain(player: Player, planted: Planted): Explanation {
  const { dialect, reconciler, base, plant } = player;
  const saved = worlds.get(player)?.find(({ name }) => name === base) as SavedCase;
  const explainer = dialect.explainers.find((one) => one.reconciler === reconciler);
  assert.ok(explainer, `${reconciler} explains itself`);
  return explainer.explain(saved.object as KubeObject, plant(saved.observed as World, planted), saved.now);
}

/** Some condition that people look at first names the cause, the object and what to do. */
function demandRemedy({ dialect }: Player, conditions: readonly Condition[], cause: RegExp): void {
  const summary = conditions.find(({ type }) => type === dialect.statusGuide.summary);
  assert.notEqual(summary?.status, "True");
  demandMessage(conditions, cause);
}

function demandMessage(conditions: readonly Condition[], cause: RegExp): void {
  const reported = conditions.filter(({ message }) => cause.test(message ?? ""));
  const messages = conditions.map(({ type, reason, message }) => `${type} (${reason}): ${message}`).join("\n");
  assert.ok(reported.length > 0, `the cause is named:\n${messages}`);
  const told = reported.some(({ message }) => hasInstruction(message ?? "") && namesObject(message ?? ""));
  assert.ok(told, `the object and what to do are named:\n${messages}`);
}

function demandSaved(player: Player, saved: Saved | undefined, cause: RegExp): void {
  assert.ok(saved, `${player.dialect.name} has a case`);
  if (typeof saved === "string") demandRemedy(player, conditionsOf(player, saved), cause);
  else demandBeside(allConditions(player, saved.case), saved.condition, cause);
}

function demandBeside(conditions: readonly Condition[], type: string, cause: RegExp): void {
  const found = conditions.filter((one) => one.type === type);
  assert.deepEqual(
    found.map(({ status }) => status),
    ["False"],
  );
  demandMessage(found, cause);
}

for (const player of players) {
  describe(`failures as ${player.dialect.name} reports them`, () => {
    for (const [name, planted, cause] of failures)
      test(name, () => {
        demandRemedy(player, conditionsOf(player, player.base, planted), cause);
        assert.equal(explain(player, planted).failedPod, planted.pods[0]?.name, "the pod that graphs mark");
      });
    for (const [name, cases, cause] of elsewhere)
      test(name, () => demandSaved(player, cases[player.dialect.name], cause));
  });
}

test("every kind of failure and every fault of an image that the middle knows has a row", () => {
  const found = failures.flatMap(([, { pods, refused }]) => findFailure(pods, refused, 1e12) ?? []);
  const kinds: Record<FailureKind, true> = {
    unschedulable: true,
    volume: true,
    image: true,
    configuration: true,
    engine: true,
    crash: true,
    memory: true,
    unhealthy: true,
    evicted: true,
    refused: true,
  };
  const images: Record<ImageFault, true> = {
    denied: true,
    missing: true,
    invalid: true,
    limited: true,
    untrusted: true,
    unreachable: true,
    platform: true,
    local: true,
    unknown: true,
  };
  const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();
  assert.deepEqual(sorted(found.map(({ kind }) => kind)), sorted(Object.keys(kinds)));
  assert.deepEqual(sorted(found.flatMap(({ image }) => image ?? [])), sorted(Object.keys(images)));
});
