import { builtInResources, createApi, openMemoryStore, type Store } from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import { CustomResourceDefinition, type DefinedKind, emitCrd, isConditionTrue, type KubeClient } from "@trivium/kube";
import { FakeClock } from "./fake-clock.ts";
import { turns } from "./turns.ts";

/** The embedded API server, in memory, on a clock that stands still. */
export interface Cluster {
  readonly clock: FakeClock;
  readonly client: KubeClient;
  /** Resolves when the server itself has nothing left to do: garbage is collected, definitions are served. */
  rest(): Promise<void>;
  /** Breaks every watch; what happens until they are resumed is still in the history. */
  cutWatches(): void;
  /** Drops the history and breaks every watch: whoever resumes is told that its version is gone. */
  forgetHistory(): void;
  close(): Promise<void>;
}

export async function startCluster(kinds: readonly DefinedKind[] = [], clock = new FakeClock()): Promise<Cluster> {
  const store = openMemoryStore();
  const api = createApi({ store, resources: builtInResources(), clock: () => clock.now() });
  await api.ready;
  const severed = severable(createClient(api.transport({ user: "testkit", groups: ["system:masters"] })));
  for (const kind of kinds) await severed.client.create(CustomResourceDefinition, emitCrd(kind));
  await api.idle();
  for (const kind of kinds) await untilServed(severed.client, kind);
  return {
    clock,
    client: severed.client,
    rest: () => api.idle(),
    cutWatches: severed.cut,
    forgetHistory: () => forget(store, severed.cut),
    close: () => api.close(),
  };
}

function forget(store: Store, cut: () => void): void {
  store.compact(store.revision);
  cut();
}

async function untilServed(client: KubeClient, kind: DefinedKind): Promise<void> {
  const name = `${kind.plural}.${kind.group}`;
  for (let turn = 0; turn < 100; turn += 1) {
    const { status } = await client.get(CustomResourceDefinition, { name });
    if (isConditionTrue(status?.conditions, "Established")) return;
    await turns();
  }
  throw new Error(`the definition ${name} was not established`);
}

/** The same client, whose watches can be broken like connections. */
function severable(client: KubeClient): { client: KubeClient; cut: () => void } {
  const connections = new Set<AbortController>();
  const watch: KubeClient["watch"] = async function* (kind, options = {}) {
    const connection = new AbortController();
    connections.add(connection);
    const signals = options.signal === undefined ? [connection.signal] : [connection.signal, options.signal];
    try {
      yield* client.watch(kind, { ...options, signal: AbortSignal.any(signals) });
    } finally {
      connections.delete(connection);
    }
  };
  const cut = () => {
    for (const connection of [...connections]) connection.abort();
  };
  return { client: { ...client, watch }, cut };
}
