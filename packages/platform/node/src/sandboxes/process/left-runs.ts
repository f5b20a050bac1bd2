import { systemClock } from "@trivium/runtime";
import type { Millis } from "@trivium/std";
import { bootId } from "./processes/process-identity.ts";
import { restRuns, runsIn } from "./run/clear-runs.ts";

/** A pod of which something runs. */
export interface LeftPod {
  readonly namespace: string;
  readonly name: string;
}

/** The pods of a node that still run. It only reads, so an agent that starts meanwhile is not disturbed. */
export async function findLeftPods(root: string): Promise<LeftPod[]> {
  const boot = bootId();
  const found = new Map<string, LeftPod>();
  for (const folder of await runsIn(root)) {
    const facts = await folder.factsIfAlive(boot);
    if (facts !== undefined) found.set(facts.podUid, { namespace: facts.namespace, name: facts.pod });
  }
  return [...found.values()];
}

export interface LeftPodsEnding {
  /** So long they have to end by themselves. */
  readonly grace: Millis;
  readonly onError: (what: string, error: unknown) => void;
}

/** Ends what an agent that was killed has left running; the next agent starts it again. Only where no agent has the folder. */
export const endLeftPods = (root: string, { grace, onError }: LeftPodsEnding): Promise<void> =>
  restRuns({ root, boot: bootId(), clock: systemClock, cgroups: undefined, onError }, grace);
