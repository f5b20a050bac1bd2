import type { SpaceReport } from "@trivium/domain";
import { formatMemory } from "@trivium/engines";
import { annotations } from "../../labels.ts";
import type { DownloadReason } from "../../reasons/serving.ts";
import { bytesOf } from "../../storage/claim-size.ts";
import type { CachePass } from "../health/cache-pass.ts";
import { conditionOf } from "../health/retries.ts";
import { claimSpaceFault } from "./claim-space.ts";

/** Whether there is space for the claim, and in it for the weights; nothing where nothing is in the way. */
export function spaceOf(pass: CachePass): SpaceReport<DownloadReason> | undefined {
  if (pass.observed.claim.is !== "known") return grantedSpace(pass);
  if (isTooSmall(pass)) {
    const message = `PersistentVolumeClaim ${pass.claimName} was too small; replacing it with one of ${pass.claimSize}`;
    return { is: "replaced", fault: { reason: "PVCTooSmall", message } };
  }
  const fault = pass.observed.download.is === "absent" ? claimSpaceFault(pass, Number(pass.bytes)) : undefined;
  return fault === undefined ? undefined : { is: "refused", fault };
}

/** A claim is created where its namespace has space for it. */
function grantedSpace(pass: CachePass): SpaceReport<DownloadReason> | undefined {
  const { cache, observed, settings } = pass;
  if (observed.heldBy !== undefined) return awaited(heldMessage(pass, observed.heldBy));
  if (settings.maxCacheBytes === undefined) return undefined;
  const { [annotations.cacheSpace]: space, [annotations.cacheSpaceReason]: why = "" } =
    cache.metadata.annotations ?? {};
  if (space === "granted") return undefined;
  if (space === "refused") return { is: "refused", fault: { reason: "CacheQuotaExceeded", message: why } };
  return awaited(why || "Checking the model cache budget of the namespace");
}

const awaited = (message: string): SpaceReport<DownloadReason> => ({
  is: "awaited",
  fault: { reason: "WaitingForRoom", message },
});

function heldMessage({ cache, bytes = 0n }: CachePass, holders: readonly string[]): string {
  const weights = `${cache.spec.sourceUri} (${formatMemory(Number(bytes))})`;
  const services = `an AIMService that uses AIMTemplateCache ${holders.slice(0, 3).join(", ")}`;
  return `Waiting to download ${weights} until ${services} fits on a node; check the condition Fits of the service`;
}

/** Only after a download that did not fit: a claim keeps its size, whatever the settings are later. */
function isTooSmall({ cache, observed, claimSize }: CachePass): boolean {
  const size = observed.claim.is === "known" ? bytesOf(observed.claim.value.size) : undefined;
  const wasFull = conditionOf(cache, "DownloadComplete")?.reason === "StorageFull";
  const isQuiet = observed.download.is !== "known" || observed.download.value.state === "failed";
  return wasFull && isQuiet && size !== undefined && size < (bytesOf(claimSize) ?? 0n);
}
