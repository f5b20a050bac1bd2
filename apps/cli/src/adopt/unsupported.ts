import type { ServingDialect } from "@trivium/domain";
import { groupResourceOf, isReason, type Kind, type KubeClient, type ServedResource } from "@trivium/kube";
import type { AdoptionRow } from "./rows.ts";

/**
 * Objects of kinds that the upstream operator has and Trivium does not, as ModelRouter of LLMKube. Their definitions stay in the cluster
 * after a take-over, so the API server accepts such objects, and no controller acts on them.
 */
export async function findUnsupported(
  client: Pick<KubeClient, "discover" | "list">,
  dialects: readonly ServingDialect[],
): Promise<AdoptionRow[]> {
  const own = new Set(dialects.flatMap(({ kinds }) => kinds.map(groupResourceOf)));
  const groups = new Set(dialects.map(({ group }) => group));
  const kinds = (await client.discover()).filter(
    (kind) => groups.has(kind.group) && !own.has(groupResourceOf(kind)) && kind.verbs.includes("list"),
  );
  return (await Promise.all(kinds.map((kind) => rowsOf(client, kind)))).flat();
}

async function rowsOf(client: Pick<KubeClient, "list">, kind: ServedResource): Promise<AdoptionRow[]> {
  const { items } = await client.list(kind as Kind, {}).catch((error: unknown) => {
    if (isReason(error, "Forbidden", "NotFound")) return { items: [] };
    throw error;
  });
  const why = `Trivium does not support ${kind.kind}: without the other operator it has no effect`;
  return items.map(({ metadata: { namespace, name = "" } }) => ({
    kind: kind.kind,
    namespace,
    name,
    manager: "",
    outcome: "left",
    why,
    fields: [],
  }));
}
