import type { Instant, Millis } from "@trivium/std";

/** How far the clocks of a zone are ahead of UTC at an instant. */
export type Offset = (at: Instant) => Millis;

const known = new Map<string, Offset>();

/** The zone of this name, or nothing when there is none. */
export function zoneOf(name: string | undefined): Offset | undefined {
  if (name === undefined || name === "" || name === "UTC" || name === "Etc/UTC") return () => 0;
  const found = known.get(name) ?? offsetOf(name);
  if (found !== undefined) known.set(name, found);
  return found;
}

function offsetOf(timeZone: string): Offset | undefined {
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    return (at) => {
      const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
      const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
      return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1_000) * 1_000;
    };
  } catch {
    return undefined;
  }
}

/** `2026-11-15T08:00:00+01:00`; with `Z` where the clocks are those of UTC. */
export function formatIn(zone: Offset, at: Instant): string {
  const offset = zone(at);
  const wall = new Date(at + offset).toISOString().slice(0, 19);
  if (offset === 0) return `${wall}Z`;
  const minutes = Math.abs(offset) / 60_000;
  const two = (value: number) => String(Math.trunc(value)).padStart(2, "0");
  return `${wall}${offset < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
}
