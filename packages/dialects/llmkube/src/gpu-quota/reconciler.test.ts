import assert from "node:assert/strict";
import { test } from "node:test";
import type { Namespace } from "@trivium/kube";
import { violationsOf } from "@trivium/testkit";
import { defaultOptions } from "../options.ts";
import type { ObservedQuota, ObservedQuotas, QuotaModel, QuotaService } from "./observe.ts";
import { quotaReconciler } from "./reconciler.ts";

const reconciler = quotaReconciler({ ...defaultOptions, sharedPool: { pool: "shared" } });

const home: Namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "kube-system" } };
const now = Date.parse("2026-11-01T12:00:00Z");
const GiB = 1024 ** 3;

const quota = (spec: ObservedQuota["spec"], more: Partial<ObservedQuota> = {}): ObservedQuota => ({
  scope: { key: "admin/team", namespaceRef: "team" },
  namespace: "admin",
  name: "team",
  spec,
  status: {},
  ...more,
});
interface TestService extends Omit<Partial<QuotaService>, "spec"> {
  readonly spec?: Partial<QuotaService["spec"]> | undefined;
  readonly model?: string;
}
const service = (name: string, { model = "large", spec, ...more }: TestService = {}): QuotaService => ({
  namespace: "team",
  name,
  generation: 1,
  createdAt: "2026-11-01T11:00:00Z",
  spec: { modelRef: model, ...spec },
  ...more,
});
type Gpu = NonNullable<NonNullable<QuotaModel["spec"]["hardware"]>["gpu"]>;
const model = (name: string, gpu: Gpu): QuotaModel => ({
  key: `team/${name}`,
  isReady: true,
  spec: { source: `https://models.example/${name}.gguf`, hardware: { accelerator: "cuda", gpu } },
});
const workload = (name: string, gpus: number): ObservedQuotas["workloads"][number] => ({
  key: `team/${name}`,
  gpus,
});
const world = (quotas: ObservedQuota[], services: QuotaService[], more: Partial<ObservedQuotas> = {}) => ({
  quotas,
  services,
  models: [
    model("large", { enabled: true, count: 2 }),
    model("small", { enabled: true, count: 1 }),
    { ...model("new", { enabled: true, count: 1 }), isReady: false },
  ],
  workloads: [],
  namespaces: ["team", "other"].map((name) => ({ name, labels: { team: name } })),
  ...more,
});

/** The status that is written of each object; every decision keeps the laws. */
function written(observed: ObservedQuotas): Record<string, unknown> {
  const laws = violationsOf<Namespace, ObservedQuotas>(reconciler, [{ name: "w", object: home, observed, now }]);
  assert.deepEqual(laws, []);
  const decision = reconciler.decide(home, observed, now);
  const patches = decision.do === "converge" ? (decision.patches ?? []) : [];
  return Object.fromEntries(
    patches.flatMap((patch) =>
      patch.patch === "status"
        ? [[`${patch.ref.namespace}/${patch.ref.name}`, patch.status.gpuQuota ?? patch.status]]
        : [],
    ),
  );
}
const granted = (gpus: number, memoryBytes: number | null = null, observedGeneration = 1) => ({
  gpus,
  memoryBytes,
  observedGeneration,
  waiting: null,
});

test("the higher priority gets the GPUs first, others wait with the reason, and other namespaces are not limited", () => {
  const services = [
    service("chat", { createdAt: "2026-11-01T10:00:00Z", spec: { autoscaling: { maxReplicas: 2 } } }),
    service("urgent", { spec: { priority: "high" } }),
    service("small", { model: "small" }),
    service("cpu", { model: "none" }),
    service("free", { namespace: "other" }),
  ];
  assert.deepEqual(written(world([quota({ gpuCount: 4 })], services)), {
    "team/urgent": granted(2),
    "team/chat": {
      gpus: 0,
      memoryBytes: null,
      observedGeneration: 1,
      waiting:
        "GPUQuota admin/team allows 4 GPUs, of which 2 GPUs are in use; this service requires 4 GPUs. Reduce or delete services, or raise the quota",
    },
    "team/cpu": granted(0, 0),
    "team/small": granted(1),
    "admin/team": {
      usedGPUCount: 3,
      usedVRAMBytes: 0,
      admissionDenials: 1,
      lastDenial: "2026-11-01T12:00:00Z",
    },
  });
});

test("what ran before the quota keeps its GPUs, and more than that waits", () => {
  const services = [
    service("ran", { spec: { replicas: 3 } }),
    service("more", { generation: 2, granted: { gpus: 2, observedGeneration: 1 }, spec: { replicas: 2 } }),
  ];
  const workloads = [workload("ran", 6)];
  const result = written(world([quota({ gpuCount: 1 })], services, { workloads })) as Record<
    string,
    { waiting: string }
  >;
  assert.deepEqual(result["team/ran"], granted(6));
  const { waiting, ...kept } = result["team/more"] ?? { waiting: "" };
  assert.deepEqual(kept, { gpus: 2, memoryBytes: null, observedGeneration: 2 });
  assert.match(waiting, /allows 1 GPUs, of which 8 GPUs are in use; this service requires 4 GPUs/);
});

test("a decision is written once, and a denial counts once", () => {
  const full = [quota({ gpuCount: 1 }, { status: { usedGPUCount: 0, usedVRAMBytes: 0, admissionDenials: 7 } })];
  const before = written(world(full, [service("chat")]));
  const [chat, team] = [before["team/chat"], before["admin/team"]] as [object, ObservedQuota["status"]];
  assert.equal(team.admissionDenials, 8);
  const { memoryBytes: _, ...decided } = chat as { memoryBytes?: null; gpus: number; observedGeneration: number };
  assert.deepEqual(
    written(world([quota({ gpuCount: 1 }, { status: team })], [service("chat", { granted: decided })])),
    {},
  );
});

test("a quota selects namespaces by labels; a selector that is wrong selects none", () => {
  const selecting = (operator: string) =>
    quota(
      { gpuCount: 9 },
      { scope: { key: "admin/team", selector: { matchExpressions: [{ key: "team", operator, values: ["other"] }] } } },
    );
  const services = [service("here"), service("there", { namespace: "other" })];
  assert.ok("team/here" in written(world([selecting("NotIn")], services)));
  assert.ok("other/there" in written(world([selecting("In")], services)));
  assert.deepEqual(Object.keys(written(world([selecting("Near")], services))), ["admin/team"]);
});

test("GPU memory counts by partition, share, or the GPUs of the nodes, and waits where it is unknown", () => {
  const sharing = (gpuSharing: object) => ({ spec: { resources: { gpuSharing } }, model: "small" }) as never;
  const services = [
    service("part", sharing({ mode: "partitioned", profile: "1g.10gb" })),
    service("share", sharing({ mode: "shared", memoryLimitGiB: 4 })),
    service("whole"),
  ];
  const limited = [quota({ gpuCount: 9, vramBytes: 200 * GiB })];
  const unknown = written(world(limited, services)) as Record<string, { waiting: string | null }>;
  assert.deepEqual(unknown["team/part"], granted(1, 10 * GiB));
  assert.deepEqual(unknown["team/share"], granted(1, 4 * GiB));
  assert.match(
    unknown["team/whole"]?.waiting ?? "",
    /limits GPU memory, and the GPU memory of this service is unknown/,
  );
  const known = written(world(limited, services, { deviceBytes: 80 * GiB }));
  assert.deepEqual(known["team/whole"], granted(2, 160 * GiB));
});

test("a service below the lowest priority waits, and without a quota nothing is left", () => {
  const low = [service("low", { spec: { priority: "low" } })];
  const result = written(world([quota({ gpuCount: 9, minPriority: "normal" })], low)) as Record<string, object>;
  assert.match(JSON.stringify(result["team/low"]), /requires a higher priority; set spec.priority/);
  const had = [service("had", { granted: { gpus: 2, observedGeneration: 1 } })];
  assert.deepEqual(written({ quotas: [], services: had, models: [], workloads: [], namespaces: [] }), {
    "team/had": { gpuQuota: null },
  });
});

/** What one service is granted by a quota that has space for it. */
const demandOf = (more: TestService): unknown =>
  (
    written(world([quota({ gpuCount: 99 })], [service("one", { model: "small", ...more })]))[
      "team/one"
    ] as QuotaService["granted"]
  )?.gpus;

test("a service counts with the replicas that it really gets", () => {
  const demands: readonly [number, TestService["spec"], number?][] = [
    [10, { autoscaling: { minReplicas: 10, maxReplicas: 1 } }],
    [10, { runtime: "generic", image: "own:1", replicas: 10, autoscaling: { maxReplicas: 1 } }],
    [10, { runtime: "ollama", replicas: 10, autoscaling: { maxReplicas: 1 } }],
    [
      3,
      {
        runtime: "generic",
        image: "own:1",
        autoscaling: { maxReplicas: 3, metrics: [{ type: "Resource", name: "cpu" }] },
      },
    ],
    [0, { replicas: 0, autoscaling: { maxReplicas: 4 } }],
    [0, { replicas: 4, suspend: true }],
    [0, { runtime: "omlx" }],
    [13, { replicas: 10 }, 25],
    [2, { replicas: 1 }, 0],
    [4, { replicas: 4 }, 100],
    [0, { replicas: 0 }, 50],
  ];
  for (const [gpus, spec, canaryPercent] of demands)
    assert.equal(demandOf({ spec, canaryPercent }), gpus, JSON.stringify([spec, canaryPercent]));
});

test("every resource claim counts as a GPU", () => {
  const resourceClaims = ["a", "b", "c", "d"].map((name) => ({ name, resourceClaimTemplateName: name }));
  const models = [model("claims", { enabled: true, resourceClaims })];
  const result = written(world([quota({ gpuCount: 9 })], [service("dra", { model: "claims" })], { models }));
  assert.deepEqual(result["team/dra"], granted(4));
});

test("what Deployments request counts, whatever became of their service", () => {
  const cases: readonly (readonly [string, readonly QuotaService[]])[] = [
    ["the service is deleted, and something keeps it or its Deployment", []],
    ["the quota was deleted and created again", [service("held", { model: "small" })]],
    ["less was granted", [service("held", { model: "small", granted: { gpus: 1, observedGeneration: 1 } })]],
    ["the Model is gone", [service("held", { model: "none", granted: { gpus: 0, observedGeneration: 1 } })]],
  ];
  for (const [name, services] of cases) {
    const late = service("late", { model: "small", spec: { priority: "critical" } });
    const observed = world([quota({ gpuCount: 8 })], [...services, late], { workloads: [workload("held", 8)] });
    const result = written(observed) as Record<string, { waiting?: string; usedGPUCount?: number }>;
    assert.match(result["team/late"]?.waiting ?? "", /of which 8 GPUs are in use/, name);
    assert.equal(result["admin/team"]?.usedGPUCount, 8, name);
  }
});

test("a service that cannot run is granted nothing, and takes nothing from others", () => {
  const ghosts: readonly TestService["spec"][] = [
    { modelRef: "none" },
    { modelRef: "new" },
    { speculativeDecoding: { type: "draft", draftModelRef: "none" } },
    { runtime: "generic" },
    { resources: { gpuSharing: { mode: "partitioned", profile: "1g.10gb" }, gpu: 1 }, modelRef: "large" },
    { resources: { memory: "much", gpu: 1 } },
  ];
  for (const spec of ghosts) {
    const ghost = service("ghost", { model: "small", spec: { resources: { gpu: 1 }, ...spec, priority: "critical" } });
    const result = written(world([quota({ gpuCount: 2 })], [ghost, service("one")]));
    assert.deepEqual([result["team/ghost"], result["team/one"]], [granted(0, 0), granted(2)], JSON.stringify(spec));
  }
});

test("memory beyond what a status can hold is unknown", () => {
  const spec = { resources: { gpuSharing: { mode: "shared" } } } as const;
  const models = [model("huge", { enabled: true, memory: "100E" })];
  const services = [service("huge", { model: "huge", spec })];
  assert.deepEqual(written(world([quota({ gpuCount: 1 })], services, { models }))["team/huge"], granted(1));
  const limited = written(world([quota({ gpuCount: 1, vramBytes: GiB })], services, { models }));
  assert.match(JSON.stringify(limited["team/huge"]), /GPU memory of this service is unknown/);
});
