import { isReason, type KubeClient, Namespace } from "@trivium/kube";
import { notFound } from "./choose.ts";

/** A namespace without services is empty, or misspelt. One that the caller cannot read counts as existing. */
export async function refuseUnknownNamespace(client: KubeClient, name: string): Promise<void> {
  try {
    await client.get(Namespace, { name });
  } catch (error) {
    if (isReason(error, "NotFound"))
      throw notFound({
        what: "namespace",
        name,
        known: await namesOfNamespaces(client),
        otherwise: "kubectl get namespaces lists them",
      });
    if (!isReason(error, "Forbidden")) throw error;
  }
}

async function namesOfNamespaces(client: KubeClient): Promise<string[]> {
  const { items } = await client.list(Namespace).catch(() => ({ items: [] as Namespace[] }));
  return items.map(({ metadata }) => metadata.name ?? "");
}
