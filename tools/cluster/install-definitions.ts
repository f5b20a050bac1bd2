import { setTimeout as sleep } from "node:timers/promises";
import { CustomResourceDefinition, groupResourceOf, isConditionTrue, type KubeClient } from "@trivium/kube";

const patience = 180_000;

/** Gives a cluster CRDs and resolves when it serves them all. */
export async function installDefinitions(
  client: KubeClient,
  definitions: readonly CustomResourceDefinition[],
): Promise<void> {
  for (const definition of definitions)
    await client.apply(CustomResourceDefinition, definition, { fieldManager: "definitions", force: true });
  const names = definitions.map(({ metadata }) => metadata.name ?? "");
  for (const deadline = Date.now() + patience; ; await sleep(200)) {
    const missing = await findMissing(client, names);
    if (missing.length === 0) return;
    if (Date.now() > deadline) throw new Error(`not served after ${patience / 1000} s: ${missing.join(", ")}`);
  }
}

/** Established says that the server will serve a kind; discovery, that it does. */
async function findMissing(client: KubeClient, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const { items } = await client.list(CustomResourceDefinition);
  const established = new Set(
    items
      .filter(({ status }) => isConditionTrue(status?.conditions, "Established"))
      .map(({ metadata }) => metadata.name),
  );
  const served = new Set((await client.discover()).map((kind) => groupResourceOf(kind)));
  return names.filter((name) => !established.has(name) || !served.has(name));
}
