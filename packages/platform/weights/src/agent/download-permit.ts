import type { WantedArtifact } from "@trivium/domain";
import type { Inventory } from "./inventory.ts";
import { listFiles } from "./keep-artifact.ts";
import type { Lifecycle } from "./lifecycle.ts";

type ListingPlace = Parameters<typeof listFiles>[1];

/** Whether a download needs a permit that it does not have yet. Whole files need none. */
export async function awaitsPermit({ permit, source }: WantedArtifact, inventory: Inventory): Promise<boolean> {
  if (permit === undefined || source.is !== "fetched") return false;
  return (await inventory.findWhole(source.uri)) === undefined;
}

/** Lists once what would be downloaded: the permit depends on its size. */
export async function listForPermit(lifecycle: Lifecycle, place: ListingPlace): Promise<void> {
  const { source } = lifecycle.wanted;
  if (source.is !== "fetched") return;
  lifecycle.listed ??= await listFiles(source.uri, place);
  lifecycle.failures = 0;
}
