import { type Instant, type Millis, parseDuration } from "@trivium/std";
import { type Offset, zoneOf } from "./time-zone.ts";

/** When something is due: the first time after an instant, or nothing when there is none within five years. */
export interface Schedule {
  next(after: Instant): Instant | undefined;
}

const minute: Millis = 60_000;
const hour: Millis = 60 * minute;
const day: Millis = 24 * hour;
const horizon: Millis = 5 * 366 * day;

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const descriptors: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/** Reads a schedule, or says what is wrong with it. */
export function parseSchedule(text: string, timeZone: string | undefined): Schedule | string {
  const every = /^@every\s+(\S+)$/.exec(text);
  if (every !== null) return everySome(every[1] as string);
  const fields = (descriptors[text] ?? text).trim().split(/\s+/);
  if (fields.length !== 5) return `expected exactly 5 fields, found ${fields.length}: [${text}]`;
  const zone = zoneOf(timeZone);
  if (zone === undefined) return `unknown time zone ${timeZone}`;
  const parsed = fields.map((field, i) => parseField(field, bounds[i] as Bounds));
  const fault = parsed.find((field) => typeof field === "string");
  if (fault !== undefined) return fault;
  const [minutes, hours, days, inMonths, inWeek] = parsed as [Field, Field, Field, Field, Field];
  return { next: (after) => search({ minutes, hours, days, inMonths, inWeek }, zone, after) };
}

function everySome(text: string): Schedule | string {
  const delay = parseDuration(text);
  if (delay === undefined) return `failed to parse duration @every ${text}`;
  const step = Math.max(1_000, Math.floor(delay / 1_000) * 1_000);
  return { next: (after) => Math.floor(after / 1_000) * 1_000 + step };
}

interface Bounds {
  readonly first: number;
  readonly last: number;
  readonly names?: readonly string[];
}

const bounds: readonly Bounds[] = [
  { first: 0, last: 59 },
  { first: 0, last: 23 },
  { first: 1, last: 31 },
  { first: 1, last: 12, names: months },
  { first: 0, last: 6, names: weekdays },
];

interface Field {
  readonly values: ReadonlySet<number>;
  /** Said with a star: this field does not choose. */
  readonly isOpen: boolean;
}

function parseField(text: string, limits: Bounds): Field | string {
  const values = new Set<number>();
  let isOpen = false;
  for (const part of text.split(",")) {
    const range = parseRange(part, limits);
    if (typeof range === "string") return range;
    for (let value = range.first; value <= range.last; value += range.step) values.add(value);
    isOpen ||= range.isOpen;
  }
  return { values, isOpen };
}

/** `*`, `5`, `mon-fri`, each with `/2` behind it; a single value with a step goes on to the end. */
function parseRange(
  text: string,
  limits: Bounds,
): { first: number; last: number; step: number; isOpen: boolean } | string {
  const match = /^(?:([*?])|(\w+)(?:-(\w+))?)(?:\/(\d+))?$/.exec(text);
  if (match === null) return `failed to parse ${text}`;
  const [, star, from = "", to, by] = match;
  const step = by === undefined ? 1 : Number(by);
  if (step === 0) return `step of range should be a positive number: ${text}`;
  if (star !== undefined) return { first: limits.first, last: limits.last, step, isOpen: step === 1 };
  const first = numberOf(from, limits);
  const last = to !== undefined ? numberOf(to, limits) : by === undefined ? first : limits.last;
  if (first === undefined || last === undefined) return `failed to parse int from ${text}`;
  if (first < limits.first) return `beginning of range (${first}) below minimum (${limits.first}): ${text}`;
  if (last > limits.last) return `end of range (${last}) above maximum (${limits.last}): ${text}`;
  if (first > last) return `beginning of range (${first}) beyond end of range (${last}): ${text}`;
  return { first, last, step, isOpen: false };
}

function numberOf(text: string, { names, first }: Bounds): number | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  const at = names?.indexOf(text.toLowerCase()) ?? -1;
  return at < 0 ? undefined : at + first;
}

interface Fields {
  readonly minutes: Field;
  readonly hours: Field;
  readonly days: Field;
  readonly inMonths: Field;
  readonly inWeek: Field;
}

/** Goes through time by instants and reads the clocks of the zone, so an hour that is skipped is skipped and one that comes twice counts twice. */
function search(fields: Fields, zone: Offset, after: Instant): Instant | undefined {
  let at = Math.floor(after / minute) * minute + minute;
  const end = at + horizon;
  while (at < end) {
    const wall = new Date(at + zone(at));
    if (!fields.inMonths.values.has(wall.getUTCMonth() + 1)) at = midnight(zone, wall, { month: 1 });
    else if (!isDay(fields, wall)) at = midnight(zone, wall, { day: 1 });
    else if (!fields.hours.values.has(wall.getUTCHours())) at += hour - wall.getUTCMinutes() * minute;
    else if (!fields.minutes.values.has(wall.getUTCMinutes())) at += minute;
    else return at;
  }
  return undefined;
}

/** Day of month and day of week: either will do when both choose, else both must. */
function isDay({ days, inWeek }: Fields, wall: Date): boolean {
  const [ofMonth, ofWeek] = [days.values.has(wall.getUTCDate()), inWeek.values.has(wall.getUTCDay())];
  return days.isOpen || inWeek.isOpen ? ofMonth && ofWeek : ofMonth || ofWeek;
}

/** The first instant of the next month, or of the next day, by the clocks of the zone. */
function midnight(zone: Offset, wall: Date, step: { month?: 1; day?: 1 }): Instant {
  const [year, month, date] = [wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate()];
  const next = step.month === 1 ? Date.UTC(year, month + 1, 1) : Date.UTC(year, month, date + 1);
  const guess = next - zone(next);
  const at = next - zone(guess);
  // Where clocks jump over midnight the day begins later; the first full minute of it is near.
  const isInside = at + zone(at) >= next;
  return isInside ? at : at + hour;
}
