import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type ControllerRevision,
  type KubeObject,
  ownerReferenceTo,
  type PersistentVolumeClaim,
  type Pod,
  type StatefulSet,
} from "@trivium/kube";
import type { Decision } from "@trivium/reconcile";
import { absent, type Fact, known } from "@trivium/std";
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
import { type ObservedStatefulSet, statefulSetReconciler } from "./reconciler.ts";

type Status = NonNullable<StatefulSet["status"]>;
type Converge = Extract<Decision<Status>, { do: "converge" }>;
type Spec = Partial<StatefulSet["spec"]>;

function statefulSet({
  image = "web:1",
  current = "web-1",
  ...spec
}: Spec & { image?: string; current?: string } = {}): StatefulSet {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: head("web"),
    spec: {
      replicas: 3,
      selector,
      serviceName: "web",
      template: template(image),
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      ...spec,
    },
    status: { replicas: 0, currentRevision: current },
  };
}

const owner = statefulSet();
const first = revision(owner, 1, "web:1");
const second = revision(owner, 2, "web:2");

function member(ordinal: number, request: PodOptions & { revision?: string } = {}): Pod {
  const name = `web-${ordinal}`;
  const own = {
    ...labels,
    "controller-revision-hash": request.revision ?? "web-1",
    "statefulset.kubernetes.io/pod-name": name,
  };
  return pod(name, { owner, ready: 60, labels: own, ...request });
}

const observed = (
  own: readonly Pod[],
  more: Partial<ObservedStatefulSet> & { history?: ControllerRevision[] } = {},
): ObservedStatefulSet => {
  const { history = [first], ...rest } = more;
  return {
    pods: { own, orphans: [] },
    claims: {},
    revisions: { own: history, orphans: [] },
    nameHolder: absent,
    ...rest,
  };
};
const decide = (set: StatefulSet, world: ObservedStatefulSet): Converge =>
  statefulSetReconciler.decide(set, world, now) as Converge;

/** What becomes of the pods: `+` made, `-` removed. */
function pods(set: StatefulSet, own: readonly Pod[], more: Parameters<typeof observed>[1] = {}): string[] {
  const children = decide(set, observed(own, more)).children.filter(({ kind }) => kind.kind === "Pod");
  const kept = summarize({ do: "converge", children });
  const staying = own
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.name);
  const gone = staying.filter((name) => !kept.includes(`=${name}`)).map((name) => `-${name}`);
  return [...kept.filter((name) => name.startsWith("+")), ...gone];
}

test("in order, each pod waits for those before it; in parallel nobody waits", () => {
  assert.deepEqual(pods(statefulSet(), []), ["+web-0"]);
  assert.deepEqual(
    pods(statefulSet(), [pod("web-0", { owner, labels: member(0).metadata.labels ?? {} })]),
    [],
    "not ready yet",
  );
  assert.deepEqual(pods(statefulSet(), [member(0)]), ["+web-1"]);
  assert.deepEqual(pods(statefulSet({ minReadySeconds: 90 }), [member(0)]), [], "not available yet");
  assert.deepEqual(pods(statefulSet(), [member(0), member(2)]), ["+web-1"]);
  assert.deepEqual(pods(statefulSet({ podManagementPolicy: "Parallel" }), [member(1)]), ["+web-0", "+web-2"]);
  assert.deepEqual(pods(statefulSet({ ordinals: { start: 5 } }), []), ["+web-5"]);
  assert.deepEqual(pods(statefulSet(), [member(0, { isEnding: true })]), [], "its name is not free yet");
  assert.deepEqual(pods(statefulSet(), [member(0, { phase: "Failed" })]), ["-web-0"], "and comes back when it is gone");
});

test("in order, the highest goes first and alone, when all others are well", () => {
  const all = [0, 1, 2, 3, 4].map((ordinal) => member(ordinal));
  assert.deepEqual(pods(statefulSet(), all), ["-web-4"]);
  assert.deepEqual(pods(statefulSet(), all.with(4, member(4, { isEnding: true }))), []);
  assert.deepEqual(
    pods(statefulSet(), all.with(1, pod("web-1", { owner, labels: member(1).metadata.labels ?? {} }))),
    [],
  );
  assert.deepEqual(pods(statefulSet({ podManagementPolicy: "Parallel" }), all), ["-web-3", "-web-4"]);
});

test("an update replaces one pod at a time from the highest down, as far as the partition", () => {
  const set = (spec: Spec = {}) => statefulSet({ image: "web:2", ...spec });
  const history = { history: [first, second] };
  const all = [member(0), member(1), member(2)];
  assert.deepEqual(pods(set(), all, history), ["-web-2"]);
  const updated = (ordinal: number, request: PodOptions = {}) => member(ordinal, { revision: "web-2", ...request });
  assert.deepEqual(pods(set(), [member(0), member(1), updated(2)], history), ["-web-1"]);
  assert.deepEqual(pods(set(), [member(0), member(1), updated(2, { isEnding: true })], history), []);
  const partition = { updateStrategy: { type: "RollingUpdate" as const, rollingUpdate: { partition: 2 } } };
  assert.deepEqual(pods(set(partition), [member(0), member(1), updated(2)], history), []);
  const [made] = decide(set(partition), observed([member(1), updated(2)], history)).children.filter(
    ({ createOnly }) => createOnly,
  );
  assert.equal(
    made?.object.metadata.labels?.["controller-revision-hash"],
    "web-1",
    "below the partition it comes back as it was",
  );
  assert.deepEqual(pods(set({ updateStrategy: { type: "OnDelete" } }), all, history), []);
});

test("templates are kept as revisions: made, raised again, and forgotten beyond the history", () => {
  const revisions = (set: StatefulSet, history: ControllerRevision[]) =>
    summarize({
      do: "converge",
      children: decide(set, observed([], { history })).children.filter(
        ({ kind }) => kind.kind === "ControllerRevision",
      ),
    });
  assert.match(revisions(statefulSet({ image: "web:9" }), [first])[0] ?? "", /^\+web-[a-z0-9]{10}$/);
  assert.deepEqual(revisions(statefulSet({ image: "web:1" }), [first, second]), ["+web-1", "=web-2"], "going back");
  const [raised] = decide(statefulSet(), observed([], { history: [first, second] })).children.filter(
    ({ keep }) => !keep,
  );
  assert.equal((raised?.object as ControllerRevision | undefined)?.revision, 3);
  const past = [3, 4, 5].map((number) => revision(owner, number, `web:${number}`));
  const set = statefulSet({ image: "web:5", current: "web-5", revisionHistoryLimit: 1 });
  assert.deepEqual(revisions(set, past), ["=web-4", "=web-5"]);
});

const claimTemplate: PersistentVolumeClaim = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data" },
  spec: { resources: { requests: { storage: "1Gi" } } },
};
const withClaims = (spec: Spec = {}) => statefulSet({ replicas: 1, volumeClaimTemplates: [claimTemplate], ...spec });
const claimOf = (ordinal: number, more: Partial<KubeObject["metadata"]> = {}): Fact<PersistentVolumeClaim> =>
  known({ ...claimTemplate, metadata: head(`data-web-${ordinal}`, more) });

test("claims are made before their pod, and outlive the set", () => {
  const { children } = decide(withClaims(), observed([], { claims: { "data-web-0": absent } }));
  const [claim, made] = children.filter(({ keep }) => !keep);
  assert.deepEqual(
    [claim?.object.metadata.name, claim?.outlivesOwner, claim?.object.metadata.labels],
    ["data-web-0", true, labels],
  );
  const spec = (made?.object as Pod | undefined)?.spec;
  assert.deepEqual(spec?.volumes, [{ name: "data", persistentVolumeClaim: { claimName: "data-web-0" } }]);
  assert.deepEqual([spec?.hostname, spec?.subdomain], ["web-0", "web"]);
  const leaving = { claims: { "data-web-0": claimOf(0, { deletionTimestamp: "2026-01-01T00:00:00Z" }) } };
  assert.deepEqual(pods(withClaims(), [], leaving), [], "a claim on its way out is waited for");
});

test("the retention policy says whose end takes a claim along", () => {
  const owners = (
    whenScaled: "Delete" | "Retain",
    whenDeleted: "Delete" | "Retain",
    ordinal: number,
    there: KubeObject[] = [],
  ) => {
    const set = withClaims({ persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted } });
    const claim = claimOf(ordinal, { ownerReferences: there.map(ownerReferenceTo) });
    const claims = {
      "data-web-0": claimOf(0, { ownerReferences: whenDeleted === "Delete" ? [ownerReferenceTo(owner)] : [] }),
      [`data-web-${ordinal}`]: claim,
    };
    const { patches = [] } = decide(set, observed([member(0), ...(ordinal > 0 ? [member(ordinal)] : [])], { claims }));
    return patches.flatMap((patch) =>
      patch.patch === "owners" ? [{ add: patch.add?.map(({ kind }) => kind), remove: patch.remove?.length }] : [],
    );
  };
  assert.deepEqual(owners("Retain", "Retain", 0), []);
  assert.deepEqual(owners("Retain", "Delete", 0), [{ add: ["StatefulSet"], remove: 0 }]);
  assert.deepEqual(owners("Delete", "Retain", 1), [{ add: ["Pod"], remove: 0 }], "scaled away");
  assert.deepEqual(owners("Delete", "Delete", 1, [owner]), [{ add: ["Pod"], remove: 1 }]);
  assert.deepEqual(owners("Retain", "Retain", 0, [owner]), [{ add: [], remove: 1 }]);
  const set = withClaims({ persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete" } });
  const claims = { "data-web-0": claimOf(0), "data-web-1": claimOf(1) };
  assert.deepEqual(pods(set, [member(0), member(1)], { claims }), [], "a pod goes when its claims will follow");
});

test("the laws hold", () => {
  const world = (
    name: string,
    object: StatefulSet,
    more: ObservedStatefulSet,
  ): Case<StatefulSet, ObservedStatefulSet> => ({
    name,
    object,
    observed: more,
    now,
  });
  const cases = [
    world("new", statefulSet(), observed([], { history: [] })),
    world(
      "parallel",
      statefulSet({ podManagementPolicy: "Parallel", minReadySeconds: 90 }),
      observed([member(1), member(4)]),
    ),
    world(
      "update",
      statefulSet({ image: "web:2" }),
      observed([member(0), member(1), member(2)], { history: [first, second] }),
    ),
    world(
      "claims",
      withClaims(),
      observed([member(0), member(2)], { claims: { "data-web-0": claimOf(0), "data-web-2": absent } }),
    ),
    world(
      "odd",
      statefulSet(),
      observed([member(0), pod("other", { owner })], {
        pods: { own: [member(0), pod("other", { owner })], orphans: [pod("web-1"), pod("x")] },
      }),
    ),
  ];
  const words: Vocabulary = { conditions: {}, notes: ["SuccessfulDelete", "SuccessfulUpdate"] };
  assert.deepEqual(violationsOf(statefulSetReconciler, cases, words), []);
});
