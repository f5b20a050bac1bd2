import { type Instant, parseTime } from "@trivium/std";

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** A length of time the way kubectl prints ages: two units where the larger one is small, then only the larger. */
export function formatAge(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 2 * minute) return `${seconds}s`;
  if (seconds < 10 * minute) return units([minute, "m"], [1, "s"], seconds);
  if (seconds < 3 * hour) return `${Math.floor(seconds / minute)}m`;
  if (seconds < 8 * hour) return units([hour, "h"], [minute, "m"], seconds);
  if (seconds < 2 * day) return `${Math.floor(seconds / hour)}h`;
  if (seconds < 8 * day) return units([day, "d"], [hour, "h"], seconds);
  if (seconds < 2 * year) return `${Math.floor(seconds / day)}d`;
  if (seconds < 8 * year) return units([year, "y"], [day, "d"], seconds);
  return `${Math.floor(seconds / year)}y`;
}

type Unit = readonly [seconds: number, letter: string];

function units([large, largeLetter]: Unit, [small, smallLetter]: Unit, seconds: number): string {
  const rest = Math.floor((seconds % large) / small);
  const head = `${Math.floor(seconds / large)}${largeLetter}`;
  return rest === 0 ? head : `${head}${rest}${smallLetter}`;
}

/** The age of something that happened at a timestamp. */
export function ageOf(timestamp: string | undefined, now: Instant): string {
  const at = timestamp === undefined ? undefined : parseTime(timestamp);
  return at === undefined ? "<unknown>" : formatAge(now - at);
}
