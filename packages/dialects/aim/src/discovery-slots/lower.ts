import { grantSlots } from "@trivium/engines";
import { type Instant, type Millis, parseTime } from "@trivium/std";
import type { ObservedSlot, ObservedSlots } from "./observe.ts";

export const keyOf = ({ kind, namespace = "", name }: ObservedSlot): string => `${kind}/${namespace}/${name}`;

/**
 * A slot counts while its Job runs, and for a minute before that. One whose Job cannot be made, because a quota forbids it, or cannot have
 * its image, stays with its template but takes no room: what is stuck must not keep all others from their turn.
 */
const patience: Millis = 60_000;

export interface SlotPlan {
  /** Keys of the templates that get a slot now. */
  readonly given: ReadonlySet<string>;
  /** When a slot without a Job stops to count. */
  readonly recheckIn?: Millis;
}

export function planSlots({ templates, jobs }: ObservedSlots, { most, now }: { most: number; now: Instant }): SlotPlan {
  const active = new Set(jobs);
  const requests = templates.flatMap((one) => (one.job === undefined ? [] : [{ ...one, job: one.job }]));
  const mine = requests.filter(({ job, granted }) => job === granted);
  const ages = mine
    .filter(({ job }) => !active.has(job))
    .map(({ grantedAt = "" }) => now - (parseTime(grantedAt) ?? 0));
  const stuck = mine.filter(({ job, isStuck }) => isStuck && active.has(job)).length;
  const idle = stuck + ages.filter((age) => age >= patience).length;
  // A Job whose template is gone, or wants another one by now, still takes its room.
  const own = new Set(mine.map(({ job }) => job));
  const others = jobs.filter((job) => !own.has(job)).length;
  const given = grantSlots(
    requests.map((one) => ({ ...one, key: keyOf(one), group: one.namespace ?? "", isHeld: one.job === one.granted })),
    most - others + idle,
  );
  const youngest = ages.filter((age) => age < patience);
  const isCrowded = requests.length > mine.length + given.size;
  return {
    given,
    ...(isCrowded && youngest.length > 0 ? { recheckIn: patience - Math.max(...youngest) } : {}),
  };
}
