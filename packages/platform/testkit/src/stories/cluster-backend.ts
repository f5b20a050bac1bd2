import { setTimeout as sleep } from "node:timers/promises";
import { isReason, type KubeClient, Namespace, Pod } from "@trivium/kube";
import { createRuntime, meteredClient, systemClock } from "@trivium/runtime";
import type { Millis } from "@trivium/std";
import type { ModelStoreFactory, OpenBackend, Operator } from "./backend.ts";
import { ClusterFixture } from "./fixture.ts";
import { LeapingClock } from "./leaping-clock.ts";
import { OperatorHarness } from "./operator-harness.ts";
import { StagedAnswers } from "./staged-answers.ts";
import { StagedModelStore } from "./staged-model-store.ts";
import { strictClient } from "./strict-client.ts";
import { withinNamespaces } from "./within-namespace.ts";

export interface ClusterOptions {
  /** Of an administrator of a control plane with controllers, where the kinds are installed. */
  readonly client: KubeClient;
  /** The operator's own, with the rights that it has on a cluster. */
  readonly operatorClient: KubeClient;
  readonly operator: Operator;
  /** Where nodes hold files of models: what they hold. */
  readonly modelStore?: ModelStoreFactory;
  readonly onError: (message: string, fields: object) => void;
}

/** How long something may take on a busy machine before it counts as never. */
const hope: Millis = 180_000;
/** What happens by itself within this time would have happened. */
const moment: Millis = 1_500;
/** Long enough to be seen waiting, and shorter than a kubelet has it. */
const backoff = { first: 4_000, most: 30_000 };

/** A real control plane: each story has a namespace of its own, and the nodes are its own while it is played. */
export function clusterBackend(options: ClusterOptions): OpenBackend {
  const { client, operatorClient, operator, modelStore, onError } = options;
  return async ({ name, given }) => {
    const namespaces = given.namespaces ?? [`story-${name}`];
    const [namespace = ""] = namespaces;
    for (const each of namespaces)
      await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: each } });
    const clock = new LeapingClock();
    const answers = new StagedAnswers(given.answers ?? {}, { client: operatorClient, now: () => clock.now() });
    const held = new StagedModelStore(given.modelStore ?? {}, systemClock);
    const agents = modelStore && { api: modelStore({ namespace }), held };
    const fixture = await ClusterFixture.open({
      client,
      clock: systemClock,
      stages: given.stages ?? [],
      backoff,
      agents,
    });
    const writes: string[] = [];
    const harness = new OperatorHarness((options) =>
      createRuntime({
        client: meteredClient(strictClient(withinNamespaces(operatorClient, namespaces)), (verb, kind) =>
          writes.push(`${verb} ${kind.kind}`),
        ),
        reconcilers: operator({ ...given.operator, ...options }, { namespace }),
        answers: [...answers.all(), ...fixture.logAnswers()],
        clock,
        log: { debug() {}, info() {}, warn() {}, error: (fields, text) => onError(text, fields) },
      }),
    );
    await harness.start();
    for (const node of given.nodes ?? []) await fixture.join(node);
    return {
      client,
      namespace,
      writes,
      writeTolerance: 1.5,
      answers,
      modelStore: held,
      operator: harness,
      join: (node) => fixture.join(node),
      leave: (node) => fixture.leave(node),
      async pass(time) {
        if (time >= 60_000) clock.leap(time);
        await sleep(Math.min(time, moment));
      },
      settle: (find) => until(find),
      finishWrites: () => quiet(writes),
      async stop() {
        // Another story may have the same names: the operator stays until all that it holds on to is gone.
        const isNamed = given.namespaces !== undefined;
        if (!isNamed) await harness.stop();
        // For pods that run a namespace takes its time, so they go first.
        if (isNamed) await until(() => podsOf(client, namespaces, isRunning));
        for (const each of namespaces) await client.delete(Namespace, { name: each }).catch(unlessGone);
        // The nodes stay until their last pod has ended, as kubelets would.
        await until(() => podsOf(client, namespaces, () => true));
        if (isNamed) await until(() => leftOf(client, namespaces));
        if (isNamed) await harness.stop();
        await fixture.close();
      },
    };
  };
}

/** A story may have taken its namespace away itself. */
function unlessGone(error: unknown): void {
  if (!isReason(error, "NotFound")) throw error;
}

const isRunning = ({ status }: Pod): boolean => status?.phase !== "Succeeded" && status?.phase !== "Failed";

async function podsOf(
  client: KubeClient,
  namespaces: readonly string[],
  isMeant: (pod: Pod) => boolean,
): Promise<string[]> {
  const lists = await Promise.all(namespaces.map((namespace) => client.list(Pod, { namespace })));
  return lists.flatMap(({ items }) => items.filter(isMeant).map(({ metadata }) => metadata.name ?? ""));
}

async function leftOf(client: KubeClient, namespaces: readonly string[]): Promise<string[]> {
  const { items } = await client.list(Namespace);
  return items.flatMap(({ metadata: { name = "" } }) => (namespaces.includes(name) ? [name] : []));
}

/** Events follow the status they are about, so a status that was seen is not yet the last write. */
async function quiet(writes: readonly string[]): Promise<void> {
  const end = performance.now() + hope;
  for (let seen = -1; seen !== writes.length && performance.now() < end; ) {
    seen = writes.length;
    await sleep(moment);
  }
}

async function until(find: () => Promise<string[]>): Promise<string[]> {
  const end = performance.now() + hope;
  for (;;) {
    const left = await find().catch((error: unknown) => {
      if (isReason(error, "NotFound")) return [String(error)];
      throw error;
    });
    if (left.length === 0 || performance.now() > end) return left;
    await sleep(200);
  }
}
