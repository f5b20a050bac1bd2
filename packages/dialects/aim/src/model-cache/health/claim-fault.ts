import type { ObservedModelCache } from "../observe.ts";

/** Why a claim gets no volume, where somebody says. */
export function claimFault({ classFault, claimWarning }: ObservedModelCache): ClaimFault | undefined {
  if (classFault !== undefined) return { reason: "StorageClassMissing", message: classFault };
  const warning = claimWarning?.tolerated;
  if (warning?.is !== "known" || warning.value.reason !== "ProvisioningFailed") return undefined;
  const { message } = warning.value;
  const isFull = /capacity|no space|exhausted|insufficient|quota|not enough/i.test(message);
  return { reason: isFull ? "InsufficientCapacity" : "PVCProvisioning", message: message.slice(0, 500) };
}

interface ClaimFault {
  readonly reason: "StorageClassMissing" | "InsufficientCapacity" | "PVCProvisioning";
  readonly message: string;
}
