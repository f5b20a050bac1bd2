import { formatTime, type Instant, parseTime } from "@trivium/std";
import type { Model } from "../../kinds/model.ts";
import type { ObservedModel } from "../observe.ts";

/** The source as it was when the weights were taken from it, and whether it is still that. */
export interface DriftReport {
  readonly version?: string | undefined;
  readonly length?: number | undefined;
  readonly lastRevalidated?: string | undefined;
  readonly state: "in sync" | "drifted" | "unknown";
  /** The source was followed: whoever uses the weights should take them anew. */
  readonly isFollowed: boolean;
}

const hour = 3_600_000;
type Status = NonNullable<Model["status"]>;

/** Compares what is there now with what the status remembers. Without an answer everything stays. */
export function compareSource(
  model: Model,
  observed: ObservedModel,
  cacheKey: string | undefined,
): DriftReport | undefined {
  const now = presence(observed);
  const before: Status = model.status?.cacheKey === cacheKey ? (model.status ?? {}) : {};
  if (cacheKey === undefined) return undefined;
  const [version, length] = [before.sourceETag ?? undefined, before.sourceContentLength ?? undefined];
  const lastRevalidated = before.lastRevalidated ?? undefined;
  const hasBaseline = version !== undefined || length !== undefined;
  if (now === undefined) {
    return hasBaseline
      ? { version, length, lastRevalidated, state: stateBefore(before), isFollowed: false }
      : undefined;
  }
  const checked = laterByAnHour(lastRevalidated, now.at);
  const isSame = !hasBaseline || sameSource({ version, length }, now);
  if (isSame)
    return { ...now, version: now.version ?? version, lastRevalidated: checked, state: "in sync", isFollowed: false };
  if (model.spec.refreshPolicy === "OnChange")
    return { ...now, lastRevalidated: formatTime(now.at), state: "in sync", isFollowed: true };
  return { version, length, lastRevalidated: checked, state: "drifted", isFollowed: false };
}

interface Presence {
  readonly version?: string | undefined;
  readonly length?: number | undefined;
  readonly at: Instant;
}

function presence({ head, file }: ObservedModel): Presence | undefined {
  if (head?.is === "known" && "at" in head.value) {
    const { version, length, at } = head.value;
    return version === undefined && length === undefined ? undefined : { version, length, at };
  }
  if (file?.is !== "known" || file.value.is === "unreadable") return undefined;
  const { version, bytes, at } = file.value;
  return { version, length: bytes, at };
}

const sameSource = (a: Omit<Presence, "at">, b: Omit<Presence, "at">): boolean =>
  a.version !== undefined && b.version !== undefined ? a.version === b.version : a.length === b.length;

const stateBefore = ({ conditions }: Status): DriftReport["state"] =>
  conditions?.some(({ type, status }) => type === "SourceDrifted" && status === "True") ? "drifted" : "in sync";

/** A comparison is worth a write only once an hour, however often it is made. */
function laterByAnHour(before: string | undefined, at: Instant): string {
  const last = parseTime(before ?? "");
  return before !== undefined && last !== undefined && at - last < hour ? before : formatTime(at);
}
