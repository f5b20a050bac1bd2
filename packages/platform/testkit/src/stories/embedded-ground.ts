import type { DefinedKind } from "@trivium/kube";
import { createRuntime, meteredClient, type Runtime } from "@trivium/runtime";
import { startCluster } from "../cluster.ts";
import { turns } from "../turns.ts";
import type { OpenGround, Operator } from "./ground.ts";
import { StagedAnswers } from "./staged-answers.ts";
import { strictClient } from "./strict-client.ts";
import { Town } from "./town.ts";

export interface EmbeddedOptions {
  readonly kinds: readonly DefinedKind[];
  readonly operator: Operator;
  /** A pass that failed is a fault, whatever is seen afterwards. */
  readonly onError: (message: string, fields: object) => void;
}

/** The embedded server with its workloads and scheduler, and time that stands still. */
export function embeddedGround({ kinds, operator, onError }: EmbeddedOptions): OpenGround {
  return async ({ given }) => {
    const { workloadReconcilers } = await import("@trivium/workloads");
    const cluster = await startCluster(kinds);
    const { client, clock } = cluster;
    const log = { debug() {}, info() {}, warn() {}, error: (fields: object, text: string) => onError(text, fields) };
    const answers = new StagedAnswers(given.answers ?? {}, { client, now: () => clock.now() });
    const town = await Town.open({ client, clock, stages: given.stages ?? [] });
    const writes: string[] = [];
    const usual = { clock, random: () => 0.5, log };
    const runtimes = [
      createRuntime({ ...usual, client, reconcilers: workloadReconcilers, identity: "workloads" }),
      createRuntime({
        ...usual,
        client: meteredClient(strictClient(client), (verb, kind) => writes.push(`${verb} ${kind.kind}`)),
        reconcilers: operator(given.operator ?? {}),
        answers: [...answers.all(), ...town.logAnswers()],
      }),
    ];
    await Promise.all(runtimes.map((runtime) => runtime.start()));
    const settle = () => comeToRest(runtimes, () => cluster.rest());
    for (const node of given.nodes ?? []) await town.join(node);
    await settle();
    return {
      client,
      namespace: "default",
      writes,
      answers,
      join: (node) => town.join(node),
      leave: (name) => town.leave(name),
      pass: (time) => clock.advance(time, settle),
      async look(find) {
        await settle();
        return find();
      },
      async stop() {
        await town.close();
        await Promise.all(runtimes.map((runtime) => runtime.stop()));
        await cluster.close();
      },
    };
  };
}

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
