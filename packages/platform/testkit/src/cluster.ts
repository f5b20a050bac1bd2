import {
  builtInResources,
  createApi,
  openMemoryStore,
  type SeedObject,
  type Store,
  seedStore,
} from "@trivium/apiserver";
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
  const resources = builtInResources();
  const isSeeded = kinds.every((kind) => established.has(kind));
  if (isSeeded) await seedStore(store, resources, kinds.map(seedOf));
  const api = createApi({ store, resources, clock: () => clock.now() });
  await api.ready;
  const severed = severable(createClient(api.transport({ user: "testkit", groups: ["system:masters"] })));
  if (!isSeeded) await install(kinds, severed.client, () => api.idle());
  return {
    clock,
    client: severed.client,
    rest: () => api.idle(),
    cutWatches: severed.cut,
    forgetHistory: () => forget(store, severed.cut),
    close: () => api.close(),
  };
}

/**
 * Definitions as a server stored them once in this process. Hundreds of clusters are started with the same kinds, and checking their
 * schemas again would be most of the time; a later cluster starts like a server that finds them on its disk.
 */
const established = new WeakMap<DefinedKind, CustomResourceDefinition>();

const seedOf = (kind: DefinedKind): SeedObject => ({
  kind: CustomResourceDefinition,
  object: established.get(kind) as unknown as SeedObject["object"],
});

async function install(kinds: readonly DefinedKind[], client: KubeClient, idle: () => Promise<void>): Promise<void> {
  for (const kind of kinds) await client.create(CustomResourceDefinition, emitCrd(kind));
  await idle();
  for (const kind of kinds) established.set(kind, await untilServed(client, kind));
}

function forget(store: Store, cut: () => void): void {
  store.compact(store.revision);
  cut();
}

async function untilServed(client: KubeClient, kind: DefinedKind): Promise<CustomResourceDefinition> {
  const name = `${kind.plural}.${kind.group}`;
  for (let turn = 0; turn < 100; turn += 1) {
    const definition = await client.get(CustomResourceDefinition, { name });
    if (isConditionTrue(definition.status?.conditions, "Established")) return definition;
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
