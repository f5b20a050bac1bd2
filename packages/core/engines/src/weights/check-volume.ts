import type { FieldPaths, PreparationIntent, Prepared, VolumeReport } from "@trivium/domain";
import { restartAttempts } from "./plan-retry.ts";

/** A volume that is lost, or a claim that its user has not created: no step after it can help. */
export function checkVolume<R extends string>({ volume, paths }: PreparationIntent<R>): Prepared<R> | undefined {
  if (volume === undefined) return undefined;
  const { owner, phase, reasons, isLeaving } = volume;
  const subject = `PersistentVolumeClaim ${volume.claim}`;
  if (phase === "missing" && owner === "user") {
    const message = `${subject} not found; create it, or change ${sourceOf(paths)}`;
    return { is: "blocked", step: "volume", fault: { reason: reasons.missing, message } };
  }
  if (phase === "Lost") {
    const remedy =
      owner === "user"
        ? `create it again, or change ${sourceOf(paths)}`
        : "delete the claim to download the weights again";
    const message = `${subject} has lost its volume; ${remedy}`;
    return { is: "blocked", step: "volume", fault: { reason: reasons.lost, message } };
  }
  if (isLeaving !== true) return undefined;
  const message = `${subject} is being deleted but pods still use it; it is recreated automatically after they stop`;
  return { is: "preparing", step: "volume", fault: { reason: reasons.unbound, message } };
}

/** A claim gets its space, and then its volume. One that waits for its first pod is bound when that pod is created. */
export function provideVolume<R extends string>({ volume, attempts }: PreparationIntent<R>): Prepared<R> | undefined {
  if (volume === undefined) return undefined;
  return checkSpace(volume, attempts?.attempt) ?? checkBinding(volume);
}

function checkSpace<R extends string>(
  { space }: VolumeReport<R>,
  attempt: number | undefined,
): Prepared<R> | undefined {
  if (space === undefined) return undefined;
  const { fault } = space;
  if (space.is === "refused") return { is: "blocked", step: "space", fault };
  if (space.is === "awaited") return { is: "preparing", step: "space", fault };
  const next = attempt === undefined ? undefined : restartAttempts(attempt);
  return { is: "preparing", step: "volume", fault, next, isReplaced: true };
}

function checkBinding<R extends string>(volume: VolumeReport<R>): Prepared<R> | undefined {
  const { owner, phase, waitsForPod, reasons } = volume;
  if (phase === "Bound" || (phase === "Pending" && waitsForPod === true)) return undefined;
  const why = volume.fault ?? describeClass(volume);
  const fault = why === undefined ? undefined : { reason: reasons.unbound, message: why };
  // The claim of a user is theirs to correct.
  return fault !== undefined && owner === "user"
    ? { is: "blocked", step: "volume", fault }
    : { is: "preparing", step: "volume", fault };
}

function describeClass<R extends string>({ claim, missingClass }: VolumeReport<R>): string | undefined {
  if (missingClass === undefined) return undefined;
  const cause = `PersistentVolumeClaim ${claim} has no volume: StorageClass ${missingClass} not found`;
  return `${cause}; create the StorageClass or a PersistentVolume of that class, or create the claim again with another class`;
}

const sourceOf = ({ source }: FieldPaths): string => source ?? "the source";
