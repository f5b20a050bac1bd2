import { type ClaimRoomInput, diagnoseClaimRoom, formatDiagnosis } from "@trivium/engines";
import { bytesOf } from "../storage/claim-size.ts";
import type { DownloadFault } from "./classify.ts";
import type { Pass } from "./judge.ts";
import { readProgress } from "./log.ts";
import { claimNameOf } from "./names.ts";

type Room = Pick<Pass, "cache" | "observed">;

/** A claim that is smaller than the weights it is for is said before a Job fills it. */
export function claimRoomFault(pass: Room, bytes: number): DownloadFault | undefined {
  const found = diagnoseClaimRoom(inputOf(pass, bytes));
  if (found === undefined) return undefined;
  const remedy = `${found.remedy}, or delete it to get a larger one`;
  return { reason: "PVCTooSmall", message: formatDiagnosis({ ...found, remedy }) };
}

/** What the source turns out to be, where the size in the spec is too small for it. */
export function totalFault(pass: Room): DownloadFault | undefined {
  const { progress } = pass.observed;
  const total = progress?.is === "known" ? readProgress(progress.value)?.totalBytes : undefined;
  const isSizeShort = total !== undefined && (bytesOf(pass.cache.spec.size) ?? 0n) < BigInt(total);
  const found = diagnoseClaimRoom({ ...inputOf(pass, total), field: isSizeShort ? "spec.size" : undefined });
  return found === undefined ? undefined : { reason: "PVCTooSmall", message: formatDiagnosis(found) };
}

/** The claim for a sentence about a full disk. */
export function claimInWords({ cache, observed }: Room): string {
  const size = sizeOf(observed);
  const name = observed.claimName ?? claimNameOf(cache);
  return `PersistentVolumeClaim ${name}${size === undefined ? "" : ` of ${size}`}`;
}

const inputOf = ({ cache, observed }: Room, bytes: number | undefined): ClaimRoomInput => ({
  claim: observed.claimName ?? claimNameOf(cache),
  size: sizeOf(observed),
  weights: cache.spec.sourceUri,
  bytes,
});

const sizeOf = ({ claim }: Room["observed"]): string | undefined =>
  claim.is === "known" ? (claim.value.capacity ?? claim.value.size) : undefined;
