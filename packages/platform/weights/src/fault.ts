/** What kind of failure it is. Each has one exit code of the program; a caller decides on it whether to try again. */
export type FaultKind = "refused" | "not-found" | "not-allowed" | "mismatch" | "no-space" | "unreachable" | "stopped";

/** Why exactly, in one word that a condition or a script can match on. */
export type FaultReason =
  | "InvalidUri"
  | "InvalidOption"
  | "UnsupportedScheme"
  | "UnsafePath"
  | "TooManyFiles"
  | "InvalidModelFile"
  | "NotFound"
  | "RepoNotFound"
  | "RevisionNotFound"
  | "NothingMatches"
  | "TokenMissing"
  | "TokenRejected"
  | "GatedRepo"
  | "AccessDenied"
  | "OutsideRoots"
  | "UnsafeRedirect"
  | "AddressNotAllowed"
  | "ReadOnly"
  | "DigestMismatch"
  | "SizeMismatch"
  | "NoSpace"
  | "Rejected"
  | "Unreachable"
  | "Stalled"
  | "UpstreamChanged"
  | "RangesRefused"
  | "LeaseLost"
  | "Stopped";

export const exitCodes: Readonly<Record<FaultKind, number>> = {
  refused: 2,
  "not-found": 3,
  "not-allowed": 4,
  mismatch: 5,
  "no-space": 6,
  unreachable: 7,
  stopped: 130,
};

export interface FaultDetail {
  readonly cause?: unknown;
  /** The server asked to wait this long. */
  readonly retryAfterMs?: number;
  /** The server said that it is asked too much; fewer connections may help. */
  readonly isOverload?: boolean;
  /** Bytes that arrived whole and are not those that were expected. */
  readonly found?: FoundBytes;
}

export interface FoundBytes {
  /** Where they lie. */
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

/** Every failure of this package. Messages name what failed and what to do, and never carry a secret. */
export class WeightsError extends Error {
  readonly kind: FaultKind;
  readonly reason: FaultReason;
  readonly retryAfterMs: number | undefined;
  readonly isOverload: boolean;
  readonly found: FoundBytes | undefined;

  constructor(kind: FaultKind, reason: FaultReason, message: string, detail: FaultDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = "WeightsError";
    this.kind = kind;
    this.reason = reason;
    this.retryAfterMs = detail.retryAfterMs;
    this.isOverload = detail.isOverload ?? false;
    this.found = detail.found;
  }
}

/** What a disk said, in our words; anything else passes unchanged. */
export function diskFault(error: unknown, path: string): unknown {
  const code = codeOf(error);
  if (code === "ENOSPC" || code === "EDQUOT") {
    const what = code === "EDQUOT" ? "disk quota exceeded" : "no space left on the disk";
    return new WeightsError(
      "no-space",
      "NoSpace",
      `${path}: ${what}; free some space and try again (completed parts are kept)`,
      {
        cause: error,
      },
    );
  }
  if (code === "EROFS") {
    return new WeightsError("not-allowed", "ReadOnly", `${path}: the file system is read-only; mount it writable`, {
      cause: error,
    });
  }
  if (code === "EACCES" || code === "EPERM") {
    return new WeightsError("not-allowed", "AccessDenied", `${path}: permission denied; check its owner and mode`, {
      cause: error,
    });
  }
  return error;
}

export function stoppedFault(): WeightsError {
  return new WeightsError("stopped", "Stopped", "stopped; completed parts are kept");
}

export function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const code = (error as { code?: unknown }).code;
  return typeof code === "string" ? code : undefined;
}
