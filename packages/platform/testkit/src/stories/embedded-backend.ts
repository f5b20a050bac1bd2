import { setTimeout as sleep } from "node:timers/promises";
import { CustomResourceDefinition, type DefinedKind, type KubeClient, Namespace } from "@trivium/kube";
import type { Answered } from "@trivium/reconcile";
import { type Clock, createRuntime, meteredClient, type Runtime } from "@trivium/runtime";
import { startCluster } from "../cluster.ts";
import { turns } from "../turns.ts";
import type { ModelStoreFactory, OpenBackend, Operator } from "./backend.ts";
import { ClusterFixture } from "./fixture.ts";
import { OperatorHarness } from "./operator-harness.ts";
import { StagedAnswers } from "./staged-answers.ts";
import { StagedModelStore } from "./staged-model-store.ts";
import { strictClient } from "./strict-client.ts";

export interface EmbeddedOptions {
  readonly kinds: readonly DefinedKind[];
  /** Kinds of others that are installed as well. */
  readonly thirdPartyApis?: readonly CustomResourceDefinition[];
  readonly operator: Operator;
  /** Where nodes hold files of models: what they hold. */
  readonly modelStore?: ModelStoreFactory;
  /** Answers of the real world in place of those that a story gives. They take real time, which is then waited for. */
  readonly outside?: (client: KubeClient, clock: Clock) => readonly Answered[];
  /** A pass that failed is a fault, whatever is seen afterwards. */
  readonly onError: (message: string, fields: object) => void;
}

/** The embedded server with its workloads and scheduler, and time that stands still. */
export function embeddedBackend(options: EmbeddedOptions): OpenBackend {
  const { kinds, thirdPartyApis = [], operator, modelStore, outside, onError } = options;
  return async ({ given }) => {
    const { workloadReconcilers } = await import("@trivium/workloads");
    const cluster = await startCluster(kinds);
    const { client, clock } = cluster;
    for (const crd of thirdPartyApis) await client.create(CustomResourceDefinition, crd);
    for (const name of given.namespaces ?? [])
      await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    const [namespace = "default"] = given.namespaces ?? [];
    const log = { debug() {}, info() {}, warn() {}, error: (fields: object, text: string) => onError(text, fields) };
    const answers = new StagedAnswers(given.answers ?? {}, { client, now: () => clock.now() });
    const held = new StagedModelStore(given.modelStore ?? {}, clock);
    const agents = modelStore && { api: modelStore({ namespace }), held };
    const fixture = await ClusterFixture.open({ client, clock, stages: given.stages ?? [], agents });
    const writes: string[] = [];
    const usual = { clock, random: () => 0.5, log };
    const workloads = createRuntime({ ...usual, client, reconcilers: workloadReconcilers, identity: "workloads" });
    const harness = new OperatorHarness((options) =>
      createRuntime({
        ...usual,
        client: meteredClient(strictClient(client), (verb, kind) => writes.push(`${verb} ${kind.kind}`)),
        reconcilers: operator({ ...given.operator, ...options }, { namespace }),
        answers: [...answers.all(), ...fixture.logAnswers(), ...(outside?.(client, clock) ?? [])],
      }),
    );
    await Promise.all([workloads.start(), harness.start()]);
    const settle = () => comeToRest([workloads, ...harness.taken], () => cluster.rest());
    for (const node of given.nodes ?? []) await fixture.join(node);
    await settle();
    return {
      client,
      namespace,
      writes,
      writeTolerance: 1,
      answers,
      modelStore: held,
      operator: harness,
      join: (node) => fixture.join(node),
      leave: (name) => fixture.leave(name),
      pass: (time) => clock.advance(time, settle),
      async settle(find) {
        for (let left = outside === undefined ? 1 : looks; ; left -= 1) {
          await settle();
          const faults = await find();
          if (faults.length === 0 || left === 1) return faults;
          await sleep(20);
        }
      },
      finishWrites: settle,
      async stop() {
        await fixture.close();
        await Promise.all([workloads.stop(), harness.stop()]);
        await cluster.close();
      },
    };
  };
}

/** So often it is looked whether the real world has answered: a minute and more. */
const looks = 3_000;

/** So often it is looked whether all is idle: what is not by then waits for time to pass. */
const patience = 50;

/** Idle, and still idle after events that may have been on their way had time to arrive. */
async function comeToRest(runtimes: readonly Runtime[], rest: () => Promise<void>): Promise<void> {
  for (let quiet = 0, turn = 0; quiet < 3 && turn < patience; turn += 1) {
    await turns(4);
    await rest();
    const idle = Promise.all(runtimes.map((runtime) => runtime.whenIdle())).then(() => true);
    quiet = (await Promise.race([idle, turns(8).then(() => false)])) ? quiet + 1 : 0;
  }
}
