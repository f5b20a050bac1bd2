import { defaultLimits, type Limits } from "../limits.ts";

/** The part of the limits that one of several workers can use: together they allow what one process would. */
export function shareOf(limits: Partial<Limits>, workers: number): Limits {
  const all = { ...defaultLimits, ...limits };
  const part = (amount: number): number => Math.max(1, Math.floor(amount / workers));
  return {
    ...all,
    connections: part(all.connections),
    held: part(all.held),
    heldPerModel: part(all.heldPerModel),
    heldBytes: part(all.heldBytes),
  };
}
