import { createClient, httpTransport, loadKubeconfig } from "@trivium/client";
import { type DefinedKind, isReason, type KubeClient } from "@trivium/kube";
import { dialects, findRunning } from "@trivium/local";
import { Refusal } from "@trivium/std";
import { runLabel } from "./command.ts";

export interface RemoveOptions {
  readonly home: string;
  readonly namespace: string;
}

/** Deletes what `trivium run` made under a name, or the one service of that name with nothing else. */
export async function remove(name: string, { home, namespace }: RemoveOptions): Promise<string[]> {
  const record = findRunning(home);
  if (record === undefined) throw new Refusal("no control plane runs on this machine; start it with trivium up -d");
  const transport = httpTransport(await loadKubeconfig(record.kubeconfig));
  try {
    const client = createClient(transport);
    const made = await findMade(client, name, namespace);
    const found = made.length > 0 ? made : await findServices(client, name, namespace);
    if (found.length === 0)
      throw new Refusal(`${name} not found in namespace ${namespace}; trivium get lists the services`);
    for (const { kind, name: each } of found)
      await client.delete(kind, { namespace, name: each }, { propagationPolicy: "Background" });
    return found.map(({ kind, name: each }) => `${kind.kind} ${each} deleted`);
  } finally {
    await transport.close();
  }
}

interface Found {
  readonly kind: DefinedKind;
  readonly name: string;
}

async function findMade(client: KubeClient, name: string, namespace: string): Promise<Found[]> {
  const kinds = dialects.flatMap((dialect) => dialect.kinds).filter(({ namespaced }) => namespaced);
  const labelSelector = `${runLabel}=${name}`;
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const { items } = await client.list(kind, { namespace, labelSelector }).catch(noneIfNotServed);
      return items.map(({ metadata }) => ({ kind, name: metadata.name ?? "" }));
    }),
  );
  return lists.flat();
}

async function findServices(client: KubeClient, name: string, namespace: string): Promise<Found[]> {
  const kinds = dialects.map(({ serviceKind }) => serviceKind);
  const there = await Promise.all(
    kinds.map((kind) => client.get(kind, { namespace, name }).then(() => true, falseIfMissing)),
  );
  const found = kinds.filter((_, at) => there[at]);
  if (found.length > 1)
    throw new Refusal(
      `several services have the name ${name} (${found.map(({ group }) => group).join(", ")}); use kubectl delete`,
    );
  return found.map((kind) => ({ kind, name }));
}

function noneIfNotServed(error: unknown): { readonly items: readonly { metadata: { name?: string } }[] } {
  if (isReason(error, "NotFound", "Forbidden")) return { items: [] };
  throw error;
}

function falseIfMissing(error: unknown): boolean {
  if (isReason(error, "NotFound", "Forbidden")) return false;
  throw error;
}
