import { CelError, type Duration, type Timestamp } from "../values.ts";
import { type Overload, overload } from "./signature.ts";

/** Offsets like `+02:00` and UTC. Names of zones need tables that a browser may not have; the real server knows them. */
function offsetMillis(zone: string): number {
  if (zone === "" || zone === "UTC" || zone === "Z") return 0;
  const match = /^([+-]?)(\d\d):(\d\d)$/.exec(zone);
  if (!match) throw new CelError(`unknown time zone ${zone}`);
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return (match[1] === "-" ? -minutes : minutes) * 60_000;
}

const dateOf = (at: Timestamp, zone = "") => new Date(Number(at.nanos / 1_000_000n) + offsetMillis(zone));

function dayOfYear(date: Date): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000);
}

const parts: Readonly<Record<string, (date: Date) => number>> = {
  getFullYear: (date) => date.getUTCFullYear(),
  getMonth: (date) => date.getUTCMonth(),
  getDayOfYear: dayOfYear,
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDate: (date) => date.getUTCDate(),
  getDayOfWeek: (date) => date.getUTCDay(),
  getHours: (date) => date.getUTCHours(),
  getMinutes: (date) => date.getUTCMinutes(),
  getSeconds: (date) => date.getUTCSeconds(),
  getMilliseconds: (date) => date.getUTCMilliseconds(),
};

const units: Readonly<Record<string, bigint>> = {
  getHours: 3_600_000_000_000n,
  getMinutes: 60_000_000_000n,
  getSeconds: 1_000_000_000n,
  getMilliseconds: 1_000_000n,
};

export const times: readonly Overload[] = [
  ...Object.entries(parts).flatMap(([name, part]) => [
    overload(`timestamp.${name}(): int`, (at: Timestamp) => BigInt(part(dateOf(at)))),
    overload(`timestamp.${name}(string): int`, (at: Timestamp, zone: string) => BigInt(part(dateOf(at, zone)))),
  ]),
  ...Object.entries(units).map(([name, unit]) =>
    overload(`duration.${name}(): int`, (span: Duration) =>
      name === "getMilliseconds" ? (span.nanos % 1_000_000_000n) / unit : span.nanos / unit,
    ),
  ),
];
