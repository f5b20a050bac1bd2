import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, type HttpTransport, httpTransport, loadKubeconfig } from "@trivium/client";
import { CustomResourceDefinition, emitCrd, type KubeClient } from "@trivium/kube";
import { aim } from "../src/index.ts";

export const kubeconfig: string = process.env.KUBECONFIG_UNDER_TEST ?? "";
assert.ok(kubeconfig, "set KUBECONFIG_UNDER_TEST, or run scripts/test-cluster.ts, which does");

/** Connects to the server under test once it serves the kinds of this dialect. */
export async function connect(fieldManager: string): Promise<{ transport: HttpTransport; client: KubeClient }> {
  const transport = httpTransport(await loadKubeconfig(kubeconfig));
  const client = createClient(transport);
  for (const kind of aim.kinds)
    await client.apply(CustomResourceDefinition, emitCrd(kind), { fieldManager, force: true });
  const served = async () => (await client.discover()).filter(({ group }) => group === aim.group).length;
  while ((await served()) < aim.kinds.length) await sleep(100);
  return { transport, client };
}
