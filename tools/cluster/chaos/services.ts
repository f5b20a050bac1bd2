import { setTimeout as sleep } from "node:timers/promises";
import type { KubeClient } from "@trivium/kube";
import { type Fleet, fleets, namespace } from "../../../bench/control-plane/fleets.ts";
import { compareSnapshots, type Snapshot, takeSnapshot } from "./snapshot.ts";

const all = Object.entries(fleets);
/** Hopeless after so long without any progress: a busy machine is slow, and gets there. */
const patience = 420_000;

/** Services of the three APIs in turn. */
const fleetOf = (at: number): Fleet => (all[at % all.length] as (typeof all)[number])[1];
const nameOf = (at: number): string => `${(all[at % all.length] as (typeof all)[number])[0]}-${at}`;

export async function createServices(client: KubeClient, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += 1)
    for (const { kind, object } of fleetOf(at).objectsOf(nameOf(at)))
      await insist(() => client.create(kind, object), "AlreadyExists");
}

export async function deleteServices(client: KubeClient, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const ref = { namespace, name: nameOf(at) };
    for (const { kind } of fleetOf(at).objectsOf(nameOf(at)).toReversed())
      await insist(() => client.delete(kind, ref, { propagationPolicy: "Background" }), "NotFound");
  }
}

/** Calls of the user are repeated until the API server accepts them. */
async function insist(call: () => Promise<unknown>, accepted: string): Promise<void> {
  for (;;) {
    try {
      await call();
      return;
    } catch (error) {
      if ((error as { reason?: string }).reason === accepted) return;
      await sleep(1_000);
    }
  }
}

/** The objects once every service is ready and nothing changes any more. */
export async function untilReady(client: KubeClient, count: number): Promise<Snapshot> {
  const hasStalled = followProgress();
  for (;;) {
    const waiting = await unready(client, count);
    if (waiting.length === 0) return untilStill(client);
    if (hasStalled(waiting.length)) throw new Error(`not ready without any fault: ${waiting.join(", ")}`);
    await sleep(2_000);
  }
}

async function unready(client: KubeClient, count: number): Promise<string[]> {
  const waiting: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const { service, isReady } = fleetOf(at);
    const object = (await client.get(service, { namespace, name: nameOf(at) })) as { status?: object };
    if (!isReady(object.status ?? {})) waiting.push(nameOf(at));
  }
  return waiting;
}

/** The objects once they no longer change. */
export async function untilStill(client: KubeClient): Promise<Snapshot> {
  for (let before = await takeSnapshot(client, namespace); ; ) {
    await sleep(4_000);
    const now = await takeSnapshot(client, namespace);
    if (compareSnapshots(before, now).length === 0) return now;
    before = now;
  }
}

/** Resolves when the objects are these; rejects with what differs. */
export async function untilEqual(client: KubeClient, expected: Snapshot, print: (line: string) => void): Promise<void> {
  const hasStalled = followProgress();
  for (let count = -1; ; await sleep(3_000)) {
    const found = compareSnapshots(expected, await takeSnapshot(client, namespace));
    if (found.length === 0) return;
    if (hasStalled(found.length)) throw new Error(`not as expected: ${found.slice(0, 40).join("; ")}`);
    if (found.length !== count) print(`${found.length} differences, such as ${found[0]}`);
    count = found.length;
  }
}

/** Reports whether what is left has not become less for too long. */
function followProgress(): (left: number) => boolean {
  let [least, since] = [Number.POSITIVE_INFINITY, 0];
  return (left) => {
    if (left < least) [least, since] = [left, performance.now()];
    return performance.now() - since > patience;
  };
}
