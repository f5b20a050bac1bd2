import { setTimeout as sleep } from "node:timers/promises";
import { isReason, type KubeClient, Namespace, Pod } from "@trivium/kube";
import { createRuntime, meteredClient, systemClock } from "@trivium/runtime";
import type { Millis } from "@trivium/std";
import type { OpenGround, Operator } from "./ground.ts";
import { LeapingClock } from "./leaping-clock.ts";
import { StagedAnswers } from "./staged-answers.ts";
import { strictClient } from "./strict-client.ts";
import { Town } from "./town.ts";
import { withinNamespace } from "./within-namespace.ts";

export interface ClusterOptions {
  /** Of an administrator of a control plane with controllers, where the kinds are installed. */
  readonly client: KubeClient;
  readonly operator: Operator;
  readonly onError: (message: string, fields: object) => void;
}

/** How long something may take on a busy machine before it counts as never. */
const hope: Millis = 60_000;
/** What happens by itself within this time would have happened. */
const moment: Millis = 1_500;
/** Long enough to be seen waiting, and shorter than a kubelet has it. */
const backoff = { first: 4_000, most: 30_000 };

/** A real control plane: each story has a namespace of its own, and the nodes are its own while it is played. */
export function clusterGround({ client, operator, onError }: ClusterOptions): OpenGround {
  return async ({ name, given }) => {
    const namespace = `story-${name}`;
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    const clock = new LeapingClock();
    const answers = new StagedAnswers(given.answers ?? {}, { client, now: () => clock.now() });
    const town = await Town.open({ client, clock: systemClock, stages: given.stages ?? [], backoff });
    const writes: string[] = [];
    const runtime = createRuntime({
      client: meteredClient(strictClient(withinNamespace(client, namespace)), (verb, kind) =>
        writes.push(`${verb} ${kind.kind}`),
      ),
      reconcilers: operator(given.operator ?? {}),
      answers: [...answers.all(), ...town.logAnswers()],
      clock,
      log: { debug() {}, info() {}, warn() {}, error: (fields, text) => onError(text, fields) },
    });
    await runtime.start();
    for (const node of given.nodes ?? []) await town.join(node);
    return {
      client,
      namespace,
      writes,
      answers,
      join: (node) => town.join(node),
      leave: (node) => town.leave(node),
      async pass(time) {
        if (time >= 60_000) clock.leap(time);
        await sleep(Math.min(time, moment));
      },
      look: (find) => until(find),
      async stop() {
        await runtime.stop();
        await client.delete(Namespace, { name: namespace });
        // The nodes stay until their last pod has ended, as kubelets would.
        await until(async () =>
          (await client.list(Pod, { namespace })).items.map(({ metadata }) => metadata.name ?? ""),
        );
        await town.close();
      },
    };
  };
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
