import { type KubeClient, Namespace } from "@trivium/kube";
import { applyFleet, type Fleet } from "./fleet.ts";
import { inParallel } from "./in-parallel.ts";
import type { RecordedWrite } from "./record.ts";

export interface Recording {
  readonly writes: readonly RecordedWrite[];
  /** The namespace in which they were made. */
  readonly from: string;
}

/** Makes the same writes in another namespace, knowing all of them beforehand; milliseconds. */
export async function replay(client: KubeClient, fleet: Fleet, { writes, from }: Recording): Promise<number> {
  const { namespace } = fleet;
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const calls = writes.map(({ verb, kind, rest }) => {
    const moved = rest.map((part) => moveTo(part, { from, namespace }));
    const call = client[verb] as (...args: unknown[]) => Promise<unknown>;
    return () => call(kind, ...moved);
  });
  const began = performance.now();
  await applyFleet(client, fleet);
  await inParallel(calls);
  return performance.now() - began;
}

/** Objects and references as they would be in the other namespace; what is about an object itself is different there. */
function moveTo(part: unknown, { from, namespace }: { from: string; namespace: string }): unknown {
  if (part === undefined) return undefined;
  const text = JSON.stringify(part).replaceAll(`"namespace":"${from}"`, `"namespace":"${namespace}"`);
  const moved = JSON.parse(text, (key, value) => (key === "resourceVersion" ? undefined : value)) as Moved;
  // An apply that names the uid of the object itself would be refused: the object is another one here. Owners keep theirs.
  if (typeof moved === "object" && moved?.metadata !== undefined) delete moved.metadata.uid;
  return moved;
}

type Moved = { metadata?: { uid?: string } } | string | number | boolean | null;
