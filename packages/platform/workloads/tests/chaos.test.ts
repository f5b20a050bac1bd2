import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { controllerOf, Deployment, isReason, Pod, ReplicaSet, StatefulSet } from "@trivium/kube";
import { silentLog } from "@trivium/runtime";
import type { Fault } from "@trivium/testkit";
import fc from "fast-check";
import { deployment, ref, type Stage, setImage, startStage } from "./stage.ts";

/** What users do, while the network between the controllers and the API misbehaves. */
type Deed =
  | { readonly do: "scale"; readonly of: "Deployment" | "StatefulSet"; readonly replicas: number }
  | { readonly do: "image"; readonly of: "Deployment" | "StatefulSet"; readonly version: number }
  | { readonly do: "delete a pod" | "strip a pod" | "cut watches" | "forget history"; readonly which: number }
  | { readonly do: "wait"; readonly ms: number };

const of = fc.constantFrom("Deployment" as const, "StatefulSet" as const);
const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ do: fc.constant("scale" as const), of, replicas: fc.nat(4) }),
  fc.record({ do: fc.constant("image" as const), of, version: fc.nat(2) }),
  fc.record({
    do: fc.constantFrom(
      "delete a pod" as const,
      "strip a pod" as const,
      "cut watches" as const,
      "forget history" as const,
    ),
    which: fc.nat(9),
  }),
  fc.record({ do: fc.constant("wait" as const), ms: fc.nat(3_000) }),
);
const faults: readonly Fault[] = [
  "none",
  "none",
  "none",
  "slow",
  "refused",
  "conflict",
  "lost-answer",
  "repeat",
  "disconnect",
];

async function act(stage: Stage, deed: Deed): Promise<void> {
  const { client, cluster } = stage;
  switch (deed.do) {
    case "scale":
      await client.patch(kindOf(deed.of), ref(nameOf(deed.of)), {
        type: "merge",
        body: { spec: { replicas: deed.replicas } },
      });
      return;
    case "image":
      await client.patch(kindOf(deed.of), ref(nameOf(deed.of)), setImage(`example/web:${deed.version}`));
      return;
    case "wait":
      return stage.elapse(deed.ms);
    case "cut watches":
      return cluster.cutWatches();
    case "forget history":
      return cluster.forgetHistory();
    default:
      return actOnPod(stage, deed.do, deed.which);
  }
}

async function actOnPod({ client, all }: Stage, what: "delete a pod" | "strip a pod", which: number): Promise<void> {
  const pods = await all(Pod);
  const name = pods[which % Math.max(1, pods.length)]?.metadata.name;
  if (name === undefined) return;
  const stripped = { type: "merge", body: { metadata: { ownerReferences: null } } } as const;
  const call =
    what === "delete a pod" ? client.delete(Pod, ref(name)) : client.patch(Pod, ref(name), stripped).then(() => {});
  await call.catch((error: unknown) => {
    if (!isReason(error, "NotFound")) throw error;
  });
}

const kindOf = (of: "Deployment" | "StatefulSet") => (of === "Deployment" ? Deployment : StatefulSet);
const nameOf = (of: "Deployment" | "StatefulSet") => (of === "Deployment" ? "web" : "db");

async function play(t: TestContext, deeds: readonly Deed[], draws: readonly Fault[]): Promise<void> {
  let i = 0;
  const stage = await startStage(t, { faults: () => draws[i++ % draws.length] ?? "none", log: silentLog });
  await stage.node();
  const { selector, template } = deployment("db").spec;
  await stage.client.create(Deployment, deployment("web", { replicas: 2 }));
  await stage.client.create(StatefulSet, {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: ref("db"),
    spec: { selector, template, serviceName: "db", replicas: 2 },
  });
  for (const deed of deeds) await act(stage, deed);
  stage.heal();
  await stage.elapse(400_000);
  await hasArrived(stage);
  stage.writes.length = 0;
  await stage.elapse(60_000);
  assert.deepEqual(stage.writes, [], "at rest nothing is written");
}

/** As many pods as wanted, all of the wanted image, all owned, all ready; and the sets say so. */
async function hasArrived(stage: Stage): Promise<void> {
  const web = await stage.client.get(Deployment, ref("web"));
  const db = await stage.client.get(StatefulSet, ref("db"));
  const pods = await stage.all(Pod);
  for (const [set, label] of [
    [web, "web"],
    [db, "db"],
  ] as const) {
    const own = pods.filter(({ metadata }) => metadata.labels?.app === label);
    const image = set.spec.template.spec?.containers[0]?.image;
    assert.equal(own.length, set.spec.replicas, `${label}: ${own.length} pods`);
    assert.ok(
      own.every(({ spec }) => spec.containers[0]?.image === image),
      `${label}: all have ${image}`,
    );
    assert.ok(
      own.every((pod) => controllerOf(pod) !== undefined),
      `${label}: all have an owner`,
    );
    assert.equal(set.status?.readyReplicas ?? 0, set.spec.replicas, `${label}: says how many are ready`);
  }
  const active = (await stage.all(ReplicaSet)).filter(({ spec }) => (spec.replicas ?? 0) > 0);
  assert.equal(active.length, web.spec.replicas === 0 ? 0 : 1);
}

test("whatever users do and the network breaks, everything arrives and comes to rest", async (t) => {
  const runs = fc.asyncProperty(
    fc.array(deed, { minLength: 3, maxLength: 8 }),
    fc.array(fc.constantFrom(...faults), { minLength: 5, maxLength: 30 }),
    (deeds, draws) => play(t, deeds, draws),
  );
  await fc.assert(runs, { numRuns: 8, endOnFailure: true });
});
