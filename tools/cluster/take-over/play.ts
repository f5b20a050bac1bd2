import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type AnyObject,
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  type Kind,
  type KubeClient,
  Lease,
  PodDisruptionBudget,
  Service,
} from "@trivium/kube";
import { ModelStoreAgent } from "@trivium/node";
import { modelStoreOf, ome, omeDefaults } from "@trivium/ome";
import type { Dialect } from "@trivium/reconcile";
import { systemClock } from "@trivium/runtime";
import { StagedModelStore } from "@trivium/testkit";
import { trivium } from "../../../apps/cli/tests/running.ts";
import { differencesAfter, leftToUpstream, readUntouched, type Untouched } from "./sights.ts";
import type { TakeOverStage } from "./stage.ts";
import type { UpstreamWorld } from "./world.ts";

/** Kinds that become ours whole. */
const handedOver: readonly Kind[] = [Service, ConfigMap, HorizontalPodAutoscaler, PodDisruptionBudget, Deployment];

export interface TakeOverPlay {
  readonly stage: TakeOverStage;
  readonly world: UpstreamWorld;
  readonly dialect: Dialect;
  readonly kubeconfig: string;
}

/** In this order. */
export const takeOverSteps = [
  "the plan names what happens to each object",
  "webhooks that nothing answers are named, with the command that deletes them, and do no harm until then",
  "nothing is written while the other operator holds its Lease",
  "a safe take-over restarts no pod and repeats no Job, and every status is true",
  "the other operator returns, writes its objects again, and is taken over again",
  "an edit of a service brings our pods, without leftovers",
  "what people delete is gone, whatever finalizers the other operator has left",
] as const;
export type TakeOverSteps = Readonly<Record<(typeof takeOverSteps)[number], () => Promise<void>>>;

/** From the upstream operator to ours, back, and here again: pods keep running, and what people delete ends. */
export async function prepareTakeOver(play: TakeOverPlay): Promise<TakeOverSteps> {
  const { stage, world, dialect, kubeconfig } = play;
  const { client, writer } = stage;
  await writer.applyAsPeople();
  await writer.writeAsUpstream();
  assert.deepEqual(await differencesAfter(client, world, world.ready), []);
  const left = await readUntouched(client, world);
  return {
    "the plan names what happens to each object": async () => {
      await checkPlan(world, kubeconfig);
      assert.deepEqual(await readUntouched(client, world), left, "a plan changes nothing");
    },
    "webhooks that nothing answers are named, with the command that deletes them, and do no harm until then": () =>
      meetDeadWebhooks(play, left),
    "nothing is written while the other operator holds its Lease": () => rest(play),
    "a safe take-over restarts no pod and repeats no Job, and every status is true": async () => {
      await takeOver(play, left);
      assert.deepEqual(await leftToUpstream(client, world, handedOver), world.unmanaged ?? []);
    },
    "the other operator returns, writes its objects again, and is taken over again": async () => {
      await writer.writeAsUpstream();
      assert.deepEqual(await readUntouched(client, world), left);
      await takeOver(play, left);
    },
    "an edit of a service brings our pods, without leftovers": () => edit(play),
    "what people delete is gone, whatever finalizers the other operator has left": () => deleteAll(play, dialect),
  };
}

async function checkPlan(world: UpstreamWorld, kubeconfig: string): Promise<void> {
  const planned = trivium(["adopt", "--plan", "-o", "json"], { KUBECONFIG: kubeconfig });
  assert.equal(await planned.ended, 2, planned.errors());
  const rows = JSON.parse(planned.output()) as { kind: string; namespace?: string; name: string; outcome: string }[];
  const own = rows.filter(({ namespace = world.namespace }) => world.namespaces.includes(namespace));
  const outcomes = own.map((row) => [`${row.kind} ${row.namespace ?? ""}/${row.name}`, row.outcome] as const);
  const named = outcomes.filter(([name]) => Object.hasOwn(world.plan, name));
  assert.deepEqual(Object.fromEntries(named), world.plan, planned.output());
  assert.deepEqual(
    outcomes.filter(([, outcome]) => outcome === "restarted"),
    [],
  );
}

/** The API server refuses our writes too, so nothing of what serves may depend on them. */
async function meetDeadWebhooks({ stage, world, kubeconfig }: TakeOverPlay, left: Untouched): Promise<void> {
  const { webhooks = [] } = world;
  for (const object of webhooks) await stage.client.create(stage.writer.kindOf(object), object);
  const planned = trivium(["adopt", "--plan"], { KUBECONFIG: kubeconfig });
  assert.equal(await planned.ended, 2, planned.errors());
  const commands = [...planned.output().matchAll(/run: kubectl delete (\S+) (\S+)/g)].map(
    ([, kind, name]) => `${kind} ${name}`,
  );
  const named = webhooks.filter(failsClosed).map(({ kind, metadata }) => `${kind.toLowerCase()} ${metadata.name}`);
  assert.deepEqual(commands.sort(), named.sort(), planned.output());
  if (webhooks.length === 0) return;
  const operator = stage.start();
  await operator.ready();
  const refused = /failed calling webhook/;
  for (const end = performance.now() + 60_000; !refused.test(operator.output()) && performance.now() < end; )
    await sleep(200);
  assert.match(operator.output(), refused);
  assert.equal(await operator.end("SIGTERM"), 0, operator.errors());
  assert.deepEqual(await readUntouched(stage.client, world), left);
  for (const object of webhooks)
    await stage.client.delete(stage.writer.kindOf(object), { name: object.metadata.name ?? "" });
}

/** One that is ignored while nothing answers it blocks nobody. */
const failsClosed = ({ webhooks }: AnyObject): boolean =>
  (webhooks as { failurePolicy?: string }[]).some(({ failurePolicy }) => failurePolicy !== "Ignore");

async function rest({ stage, world }: TakeOverPlay): Promise<void> {
  await holdLease(stage.client, world);
  const theirs = await leftToUpstream(stage.client, world, handedOver);
  const operator = stage.start();
  await operator.ready();
  assert.ok(
    operator.lines().some(({ msg }) => msg.includes(`holds Lease ${world.lease.namespace}/${world.lease.name}`)),
  );
  assert.equal(await operator.end("SIGTERM"), 0, operator.errors());
  assert.deepEqual(await leftToUpstream(stage.client, world, handedOver), theirs);
  await stage.client.delete(Lease, world.lease);
}

async function takeOver({ stage, world }: TakeOverPlay, left: Untouched): Promise<void> {
  const operator = stage.start();
  await operator.ready();
  assert.deepEqual(await differencesAfter(stage.client, world, world.after), [], operator.output());
  assert.deepEqual(await readUntouched(stage.client, world), left);
  assert.equal(await operator.end("SIGTERM"), 0, operator.errors());
  assert.deepEqual(
    operator.lines().filter(({ level }) => level === "error"),
    [],
  );
}

async function edit({ stage, world }: TakeOverPlay): Promise<void> {
  const { name, body, sees } = world.edit;
  const operator = stage.start();
  await operator.ready();
  await stage.client.patch(...stage.writer.find(name), { type: "merge", body }, { fieldManager: "kubectl-edit" });
  assert.deepEqual(await differencesAfter(stage.client, world, sees), []);
  assert.equal(await operator.end("SIGTERM"), 0, operator.errors());
}

async function deleteAll({ stage, world }: TakeOverPlay, dialect: Dialect): Promise<void> {
  const operator = stage.start();
  await operator.ready();
  const stopAgents = dialect === ome ? joinAgents(stage, world) : async () => {};
  for (const object of world.people.toReversed()) {
    const [kind, ref] = stage.writer.find({ kind: object.kind, name: object.metadata.name ?? "" });
    await stage.client.delete(kind, ref, { propagationPolicy: "Background" });
  }
  const gone = world.people.map(({ kind, apiVersion, metadata }) => {
    const { plural, group } = stage.writer.kindOf({ kind, apiVersion });
    return [`${group === "" ? plural : `${plural}.${group}`}/${metadata.name}`, "absent"] as const;
  });
  assert.deepEqual(await differencesAfter(stage.client, world, Object.fromEntries(gone)), []);
  await stopAgents();
  assert.equal(await operator.end("SIGTERM"), 0, operator.errors());
}

/** The other operator runs: its leader has renewed its Lease just now. */
async function holdLease(client: KubeClient, { lease }: UpstreamWorld): Promise<void> {
  await client.create(Lease, {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { ...lease },
    spec: {
      holderIdentity: "upstream",
      leaseDurationSeconds: 15,
      renewTime: new Date().toISOString().replace("Z", "000Z"),
    },
  });
}

/** The agents of nodes, which delete the files of a deleted model. */
function joinAgents({ client }: TakeOverStage, { nodes }: UpstreamWorld): () => Promise<void> {
  const held = new StagedModelStore({}, systemClock);
  const agents = nodes.map(({ name: node }) => {
    const managerOf = held.managerOf.bind(held);
    const api = modelStoreOf(omeDefaults);
    return new ModelStoreAgent({ client, clock: systemClock, node, api, managerOf, onError: () => {} });
  });
  for (const agent of agents) agent.start();
  return async () => {
    for (const agent of agents) await agent.stop();
  };
}
