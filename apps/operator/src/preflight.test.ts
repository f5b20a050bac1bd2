import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, ConfigMap, type KubeClient, Pod, type ServedResource, type StatusReason } from "@trivium/kube";
import { type AnyReconciler, type Dialect, plainStatusGuide } from "@trivium/reconcile";
import { palettes, Sample } from "@trivium/testkit";
import { ClusterFault } from "./cluster-fault.ts";
import { confirmCluster } from "./preflight.ts";

const reconciler: AnyReconciler = {
  name: "test.one",
  kind: Pod,
  reads: [ConfigMap],
  writes: [],
  observe: () => null,
  decide: () => ({ do: "hold", status: {} }),
};
const dialect: Dialect = {
  name: "garden",
  group: Sample.group,
  kinds: [Sample, ...palettes],
  statusGuide: plainStatusGuide,
  reconcilers: [reconciler],
};
const served = dialect.kinds as readonly unknown[] as readonly ServedResource[];
const lease = { namespace: "ops", name: "trivium" };

function refused(code: number, reason: StatusReason | undefined, message: string): Promise<never> {
  const head = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code } as const;
  return Promise.reject(new ApiError(reason === undefined ? head : { ...head, reason }));
}

/** A cluster on which everything is well, except what is given. */
function confirm(failure: Partial<Record<keyof KubeClient, unknown>>): Promise<void> {
  const well = { discover: async () => served, create: async () => ({}) };
  const client = { ...well, ...failure } as unknown as KubeClient;
  const cluster = { server: "https://there", context: "home" };
  return confirmCluster({ ...cluster, client, dialects: [dialect], lease, installCrds: false });
}

test("a cluster on which everything is well is taken; so is one whose Lease exists", async () => {
  await confirm({});
  await confirm({ create: () => refused(409, "AlreadyExists", "leases exists") });
});

for (const [name, failure, complaint] of [
  [
    "nobody answers",
    { discover: () => refused(0, undefined, "connect ECONNREFUSED") },
    /^cannot reach https:\/\/there: connect ECONNREFUSED; .*"home"/,
  ],
  [
    "a login that is not accepted",
    { discover: () => refused(401, "Unauthorized", "no") },
    /credentials of context "home"/,
  ],
  ["a Lease that is forbidden", { create: () => refused(403, "Forbidden", "leases is forbidden") }, /leases.*--print/],
  ["no namespace for the Lease", { create: () => refused(404, "NotFound", "no") }, /Namespace ops .*--lease-namespace/],
  [
    "definitions that are missing",
    { discover: async () => served.slice(0, 1) },
    /CustomResourceDefinition not found: clusterpalettes\.garden\.example, palettes\.garden\.example; start with --install-crds/,
  ],
  [
    "a definition of another version",
    { discover: async () => served.map((each) => ({ ...each, version: "v0" })) },
    /CustomResourceDefinition not found: clusterpalettes\.garden\.example, palettes\.garden\.example, samples\.garden\.example/,
  ],
] as const) {
  test(`a fault of the cluster, in words: ${name}`, async () => {
    await assert.rejects(
      confirm(failure),
      (error: unknown) => error instanceof ClusterFault && complaint.test(error.message),
    );
  });
}

test("a fault of ours is not called a fault of the cluster", async () => {
  const fault = new TypeError("x is not a function");
  await assert.rejects(confirm({ discover: () => Promise.reject(fault) }), fault);
});
