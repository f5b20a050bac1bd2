import type { Diagnosis } from "@trivium/domain";
import type { PersistentVolumeClaim } from "@trivium/kube";
import { parseQuantity, quantityToNumber } from "@trivium/std";

export interface ClaimSpaceInput {
  /** The claim that the weights go to. */
  readonly claim: string;
  /** What it has, as `sizeOfClaim` reads it or as it is about to be requested; nothing where that is unknown. */
  readonly size: string | undefined;
  /** Whose weights, as people name it: `Model chat`. */
  readonly weights: string;
  /** What the weights take; nothing where that is unknown. */
  readonly bytes: number | undefined;
  /** The claim does not exist yet. */
  readonly isPlanned?: boolean;
  /** The field that sets the size of the claim; without one the claim itself is to be enlarged. */
  readonly field?: string | undefined;
}

/** A claim that cannot hold its weights, before a byte is fetched; nothing while they fit or too little is known. */
export function diagnoseClaimSpace(input: ClaimSpaceInput): Diagnosis | undefined {
  const { claim, size, weights, bytes, isPlanned = false, field } = input;
  const space = parseQuantity(size ?? "");
  if (space === undefined || bytes === undefined || !(bytes > quantityToNumber(space))) return undefined;
  const [subject, needed] = [`PersistentVolumeClaim ${claim}`, formatNeeded(bytes)];
  return {
    subject,
    cause: `${subject} ${isPlanned ? "would have" : "has"} ${size}, but the weights of ${weights} need ${needed}`,
    remedy: field === undefined ? `expand it to at least ${needed}` : `raise ${field} to at least ${needed}`,
  };
}

/** A volume can be larger than what was requested of it, and then that counts. */
export const sizeOfClaim = ({ spec, status }: PersistentVolumeClaim): string | undefined => {
  const size = status?.capacity?.storage ?? spec?.resources?.requests?.storage;
  return size === undefined ? undefined : String(size);
};

const units = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** A quantity that is enough: rounded up to a tenth of its unit. */
function formatNeeded(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${Math.ceil(value * 10) / 10}${units[unit]}`;
}
