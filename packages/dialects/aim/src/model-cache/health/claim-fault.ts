import type { ObservedClaim } from "@trivium/domain";
import { diagnoseClaim, formatDiagnosis } from "@trivium/engines";
import { cachePaths, storageClassField } from "../../field-paths.ts";
import type { CachePass } from "./cache-pass.ts";

type Reason = "StorageClassMissing" | "InsufficientCapacity" | "PVCProvisioning";

/** Why a claim gets no volume, where that is reported. */
export function claimFault({
  observed: { missingClass, claimWarning },
  claimName: name,
}: Pick<CachePass, "observed" | "claimName">): { readonly reason: Reason; readonly message: string } | undefined {
  if (missingClass !== undefined)
    return faultOf("StorageClassMissing", { name, storageClass: missingClass, fault: "no class" });
  const warning = claimWarning?.tolerated;
  if (warning?.is !== "known") return undefined;
  const isFull = /capacity|no space|exhausted|insufficient|quota|not enough/i.test(warning.value.message);
  return faultOf(isFull ? "InsufficientCapacity" : "PVCProvisioning", { name, warning });
}

function faultOf(reason: Reason, claim: ObservedClaim) {
  const found = diagnoseClaim(claim, { ...cachePaths, storage: storageClassField });
  return found === undefined ? undefined : { reason, message: formatDiagnosis(found) };
}
