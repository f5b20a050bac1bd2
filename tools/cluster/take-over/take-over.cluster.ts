import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aim } from "@trivium/aim";
import {
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  type Kind,
  type KubeClient,
  Lease,
  PodDisruptionBudget,
  Service,
} from "@trivium/kube";
import { llmkube } from "@trivium/llmkube";
import { ModelStoreAgent } from "@trivium/node";
import { modelStoreOf, ome, omeDefaults } from "@trivium/ome";
import type { Dialect } from "@trivium/reconcile";
import { systemClock } from "@trivium/runtime";
import { StagedModelStore } from "@trivium/testkit";
import { trivium } from "../../../apps/cli/tests/running.ts";
import { killLeftovers } from "../../../apps/operator/tests/story/operator-process.ts";
import { type ControlPlane, startControlPlane } from "../control-plane.ts";
import { differencesAfter, leftToUpstream, readUntouched, type Untouched } from "./sights.ts";
import { openStage, type TakeOverStage } from "./stage.ts";
import { readWorld, type UpstreamWorld } from "./world.ts";

/** Kinds that become ours whole. */
const handedOver: readonly Kind[] = [Service, ConfigMap, HorizontalPodAutoscaler, PodDisruptionBudget, Deployment];

const plane = await startControlPlane();
const skip = typeof plane === "string" ? plane : false;

describe("take-over on a real control plane", { skip }, () => {
  const real = plane as ControlPlane;
  after(async () => {
    killLeftovers();
    await real.stop();
  });
  const wanted = (process.env.TAKE_OVER ?? "").split(",");
  const dialects = [ome, llmkube, aim].filter(({ name }) => wanted.some((word) => name.includes(word)));
  for (const dialect of dialects) describe(dialect.name, () => playTakeOver(real, dialect));
});

/** From the upstream operator to ours, back, and here again: pods keep running, and what people delete ends. */
function playTakeOver(real: ControlPlane, dialect: Dialect): void {
  const world = readWorld(dialect.name);
  let stage: TakeOverStage;
  let left: Untouched;

  before(async () => {
    stage = await openStage(real, world, dialect);
    await stage.writer.applyAsPeople();
    await stage.writer.writeAsUpstream();
    assert.deepEqual(await differencesAfter(stage.client, world, world.ready), []);
    left = await readUntouched(stage.client, world);
  });
  after(() => stage?.close());

  test("the plan names what happens to each object", async () => {
    const planned = trivium(["adopt", "--plan", "-o", "json"], { KUBECONFIG: real.kubeconfig });
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
    assert.deepEqual(await readUntouched(stage.client, world), left, "a plan changes nothing");
  });

  test("nothing is written while the other operator holds its Lease", async () => {
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
  });

  test("a safe take-over restarts no pod and repeats no Job, and every status is true", async () => {
    await takeOver();
    assert.deepEqual(await leftToUpstream(stage.client, world, handedOver), world.unmanaged ?? []);
  });

  test("the other operator returns, writes its objects again, and is taken over again", async () => {
    await stage.writer.writeAsUpstream();
    assert.deepEqual(await readUntouched(stage.client, world), left);
    await takeOver();
  });

  test("an edit of a service brings our pods, without leftovers", async () => {
    const { name, body, sees } = world.edit;
    const operator = stage.start();
    await operator.ready();
    await stage.client.patch(...stage.writer.find(name), { type: "merge", body }, { fieldManager: "kubectl-edit" });
    assert.deepEqual(await differencesAfter(stage.client, world, sees), []);
    assert.equal(await operator.end("SIGTERM"), 0, operator.errors());
  });

  test("what people delete is gone, whatever finalizers the other operator has left", async () => {
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
  });

  async function takeOver(): Promise<void> {
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
