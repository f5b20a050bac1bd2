import { type ClaimSpaceInput, diagnoseClaimSpace, formatDiagnosis } from "@trivium/engines";
import { templateSourceField } from "../../field-paths.ts";
import { labels } from "../../labels.ts";
import { bytesOf } from "../../storage/claim-size.ts";
import type { CachePass } from "../health/cache-pass.ts";
import type { DownloadContext, DownloadFault } from "../health/classify.ts";
import type { ModelCache } from "../names/names.ts";
import { isLinked } from "./local-source.ts";

/** A claim that is smaller than the weights it is for is said before a Job fills it. */
export function claimSpaceFault(pass: CachePass, bytes: number): DownloadFault | undefined {
  const found = diagnoseClaimSpace(inputOf(pass, bytes));
  if (found === undefined || isLinked(pass.cache.spec, pass.options)) return undefined;
  const remedy = `${found.remedy}, or delete it so that a larger one is created`;
  return { reason: "PVCTooSmall", message: formatDiagnosis({ ...found, remedy }) };
}

/** What the source turns out to be, where the size in the spec is too small for it. */
export function totalFault(pass: CachePass): DownloadFault | undefined {
  const total = pass.progress?.bytesTotal;
  const isSizeShort = total !== undefined && (bytesOf(pass.cache.spec.size) ?? 0n) < BigInt(total);
  const found = diagnoseClaimSpace({ ...inputOf(pass, total), field: isSizeShort ? "spec.size" : undefined });
  return found === undefined ? undefined : { reason: "PVCTooSmall", message: formatDiagnosis(found) };
}

/** What a failed download is judged by. */
export const downloadContext = ({ cache, observed, claimName }: CachePass): DownloadContext => ({
  ...sourceContext(cache),
  claim: { name: claimName, size: sizeOf(observed) },
});

export const sourceContext = ({ metadata, spec }: ModelCache): Pick<DownloadContext, "sourceUri" | "sourceField"> => ({
  sourceUri: spec.sourceUri,
  sourceField: metadata.labels?.[labels.templateCreated] === "true" ? templateSourceField : undefined,
});

const inputOf = ({ cache, observed, claimName }: CachePass, bytes: number | undefined): ClaimSpaceInput => ({
  claim: claimName,
  size: sizeOf(observed),
  weights: cache.spec.sourceUri,
  bytes,
});

const sizeOf = ({ claim }: CachePass["observed"]): string | undefined =>
  claim.is === "known" ? (claim.value.capacity ?? claim.value.size) : undefined;
