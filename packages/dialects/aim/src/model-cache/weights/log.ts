import { isObject, type Json } from "@trivium/std";
import type { ModelCacheStatus } from "../names/names.ts";

/** The newest line of a download's log that says how far it is; never all of it before the end. */
export function readProgress(log: string): ModelCacheStatus["progress"] {
  const line = parsedLines(log).findLast((one) => typeof one.bytes === "number");
  if (line === undefined) return undefined;
  const bytes = amount(line.bytes);
  const total = amount(line.total);
  if (total === 0) return { downloadedBytes: bytes };
  const percentage = Math.min(99, Math.floor((100 * bytes) / total));
  return { totalBytes: total, downloadedBytes: bytes, percentage, displayPercentage: `${percentage} %` };
}

const largest = 2 ** 50;

/** The sum of all files that a listing names; nothing where it names none, or more than any weights are. */
export function readListing(log: string): number | undefined {
  const listing = parsedLines(log).findLast((one) => Array.isArray(one.files) || one.sizeBytes !== undefined);
  if (listing === undefined) return undefined;
  const files = Array.isArray(listing.files) ? listing.files : [];
  const sum = files.reduce<number>(
    (all, file) => all + (isObject(file) ? amount(file.size) : 0),
    amount(listing.sizeBytes),
  );
  return sum > 0 && sum <= largest ? sum : undefined;
}

const amount = (value: Json | undefined): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;

function parsedLines(log: string): { [key: string]: Json }[] {
  return log.split("\n").flatMap((line) => {
    try {
      const value = JSON.parse(line) as Json;
      return isObject(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}
