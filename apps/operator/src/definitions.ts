import {
  CustomResourceDefinition,
  type DefinedKind,
  emitCrd,
  groupResourceOf,
  isConditionTrue,
  type KubeClient,
  type ServedResource,
} from "@trivium/kube";
import { ClusterFault } from "./cluster-fault.ts";

/** How long a server may take to serve a new definition. */
const patience = 30_000;

/** The kinds among these that the server does not serve. */
export function missingKinds(kinds: readonly DefinedKind[], served: readonly ServedResource[]): DefinedKind[] {
  const names = new Set(served.map(({ group, version, plural }) => `${group}/${version}/${plural}`));
  return kinds.filter(({ group, version, plural }) => !names.has(`${group}/${version}/${plural}`));
}

/** Applies the definitions and resolves when the server serves them all. An unchanged definition stays as it is. */
export async function installDefinitions(client: KubeClient, kinds: readonly DefinedKind[]): Promise<void> {
  for (const kind of kinds) {
    await client.apply(CustomResourceDefinition, emitCrd(kind), { fieldManager: "trivium-operator", force: true });
  }
  await untilEstablished(client, new Set(kinds.map(groupResourceOf)));
}

async function untilEstablished(client: KubeClient, waiting: Set<string>): Promise<void> {
  const { items, metadata } = await client.list(CustomResourceDefinition);
  const inspect = (definition: CustomResourceDefinition): void => {
    if (isConditionTrue(definition.status?.conditions, "Established")) waiting.delete(definition.metadata.name ?? "");
  };
  for (const item of items) inspect(item);
  if (waiting.size === 0) return;
  const signal = AbortSignal.timeout(patience);
  const resourceVersion = metadata.resourceVersion ?? "0";
  for await (const event of client.watch(CustomResourceDefinition, { resourceVersion, signal })) {
    if (event.type !== "BOOKMARK") inspect(event.object);
    if (waiting.size === 0) return;
  }
  throw new ClusterFault(`the API server does not serve ${[...waiting].join(", ")}; see kubectl describe crd`);
}
