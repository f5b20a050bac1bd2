import { WeightsError } from "../fault.ts";

/** What a keeper does that is worth counting. */
export type ArtifactEvent =
  | { readonly is: "fetched"; readonly key: string; readonly seconds: number }
  | { readonly is: "failed"; readonly key: string }
  /** Whether what is on the disk is all of it. */
  | {
      readonly is: "verified";
      readonly key: string;
      readonly result: "success" | "failure";
      readonly seconds?: number;
    }
  | { readonly is: "received"; readonly key: string; readonly bytes: number }
  /** Models that nothing uses were deleted to make space for it, within the limit of the node. */
  | { readonly is: "evicted"; readonly key: string; readonly sources: readonly string[]; readonly bytes: number }
  /** The bytes are not those that the source promised. */
  | { readonly is: "mismatched"; readonly key: string }
  /** The source asked to be asked less. */
  | { readonly is: "limited"; readonly key: string; readonly seconds: number };

/** What a failure says of the download, of its bytes and of the source. */
export function eventsOfFault(key: string, error: unknown): ArtifactEvent[] {
  const events: ArtifactEvent[] = [{ is: "failed", key }];
  const fault = rootOf(error);
  if (fault === undefined) return events;
  if (fault.kind === "mismatch") events.push({ is: "verified", key, result: "failure" });
  if (fault.reason === "DigestMismatch") events.push({ is: "mismatched", key });
  if (fault.isOverload) events.push({ is: "limited", key, seconds: (fault.retryAfterMs ?? 0) / 1000 });
  return events;
}

/** Who gives up after several tries says so in a new error; what happened hangs on it. */
export function rootOf(error: unknown): WeightsError | undefined {
  if (!(error instanceof WeightsError)) return undefined;
  return error.cause instanceof WeightsError ? error.cause : error;
}
