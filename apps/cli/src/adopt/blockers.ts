import type { ServingDialect } from "@trivium/domain";
import type { KubeClient } from "@trivium/kube";
import { findBlockingWebhooks } from "../cluster/blocking-webhooks.ts";
import type { AdoptionRow } from "./rows.ts";

/** What must be deleted before anybody can write the objects of upstream operators. */
export async function findBlockers(
  client: Pick<KubeClient, "get" | "list">,
  dialects: readonly ServingDialect[],
): Promise<AdoptionRow[]> {
  const found = await findBlockingWebhooks(client, dialects);
  return found.map(({ kind, name, why, fix }) => ({
    kind,
    name,
    manager: "",
    outcome: "blocking",
    why: `${why}; run: ${fix}`,
    fields: [],
  }));
}
