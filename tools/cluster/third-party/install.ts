import { CustomResourceDefinition, findCondition, groupResourceOf, type KubeClient } from "@trivium/kube";
import { thirdPartyApiDefinitions } from "./definitions.ts";

const manager = "trivium-neighbours";
const patience = 180_000;

/** Gives a cluster the CRDs of our neighbours and resolves when it serves them all. */
export async function installThirdPartyApis(
  client: KubeClient,
  print: (line: string) => void = () => {},
): Promise<readonly CustomResourceDefinition[]> {
  const crds = thirdPartyApiDefinitions(print);
  for (const crd of crds) await client.apply(CustomResourceDefinition, crd, { fieldManager: manager, force: true });
  await untilServed(
    client,
    crds.map((crd) => crd.metadata.name ?? ""),
  );
  return crds;
}

/** Established says that the server will serve a kind; discovery, that it does. */
async function untilServed(client: KubeClient, names: readonly string[]): Promise<void> {
  const deadline = Date.now() + patience;
  for (;;) {
    const waiting = await missing(client, names);
    if (waiting.length === 0) return;
    if (Date.now() > deadline) throw new Error(`not served after a minute: ${waiting.join(", ")}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function missing(client: KubeClient, names: readonly string[]): Promise<string[]> {
  const { items } = await client.list(CustomResourceDefinition);
  const established = new Set(
    items
      .filter((crd) => findCondition(crd.status?.conditions, "Established")?.status === "True")
      .map((crd) => crd.metadata.name),
  );
  const served = new Set((await client.discover()).map((kind) => groupResourceOf(kind)));
  return names.filter((name) => !established.has(name) || !served.has(name));
}
