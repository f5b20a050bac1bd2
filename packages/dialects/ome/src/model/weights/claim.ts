import type { Fact } from "@trivium/std";
import type { ModelReason } from "../../reasons.ts";
import type { ModelPlace } from "../../storage/place.ts";

type ClaimPlace = Extract<ModelPlace, { is: "claim" }>;

export interface ClaimProblem {
  readonly reason: ModelReason;
  readonly message: string;
}

export const claimName = ({ claim, namespace }: ClaimPlace): string => `PersistentVolumeClaim ${namespace}/${claim}`;

/** What keeps a claim from ever giving its files, as things are. */
export function findClaimProblem(place: ClaimPlace, claim: Fact<{ readonly phase: string }>): ClaimProblem | undefined {
  const name = claimName(place);
  if (claim.is !== "known")
    return { reason: "ClaimNotFound", message: `${name} not found; create it, or change spec.storage.storageUri` };
  if (claim.value.phase === "Lost")
    return {
      reason: "ClaimNotBound",
      message: `${name} has lost its volume; create it again, or change spec.storage.storageUri`,
    };
  return undefined;
}
