import { type ClaimRoomInput, diagnoseClaimRoom, formatDiagnosis } from "@trivium/engines";
import { bytesOf } from "../storage/claim-size.ts";
import type { DownloadFault } from "./classify.ts";
import type { Pass } from "./judge.ts";
import { readProgress } from "./log.ts";
import { claimNameOf } from "./names.ts";

type Room = Pick<Pass, "cache" | "seen">;

/** A claim that is smaller than the weights it is for is said before a Job fills it. */
export function claimRoomFault(pass: Room, bytes: number): DownloadFault | undefined {
  const found = diagnoseClaimRoom(inputOf(pass, bytes));
  if (found === undefined) return undefined;
  const remedy = `${found.remedy}, or delete it to get a larger one`;
  return { reason: "PVCTooSmall", message: formatDiagnosis({ ...found, remedy }) };
}

/** What the source turns out to be, where the size in the spec is too small for it. */
export function totalFault(pass: Room): DownloadFault | undefined {
  const { progress } = pass.seen;
  const total = progress?.is === "known" ? readProgress(progress.value)?.totalBytes : undefined;
  const isSizeShort = total !== undefined && (bytesOf(pass.cache.spec.size) ?? 0n) < BigInt(total);
  const found = diagnoseClaimRoom({ ...inputOf(pass, total), field: isSizeShort ? "spec.size" : undefined });
  return found === undefined ? undefined : { reason: "PVCTooSmall", message: formatDiagnosis(found) };
}

/** The claim for a sentence about a full disk. */
export function claimInWords({ cache, seen }: Room): string {
  const size = sizeOf(seen);
  const name = seen.claimName ?? claimNameOf(cache);
  return `PersistentVolumeClaim ${name}${size === undefined ? "" : ` of ${size}`}`;
}

const inputOf = ({ cache, seen }: Room, bytes: number | undefined): ClaimRoomInput => ({
  claim: seen.claimName ?? claimNameOf(cache),
  size: sizeOf(seen),
  weights: cache.spec.sourceUri,
  bytes,
});

const sizeOf = ({ claim }: Room["seen"]): string | undefined =>
  claim.is === "known" ? (claim.value.capacity ?? claim.value.size) : undefined;
