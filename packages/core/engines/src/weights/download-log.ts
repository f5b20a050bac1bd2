import type { DownloadProgress } from "@trivium/domain";
import { isObject, type Json } from "@trivium/std";
import { planProgress } from "./download-progress.ts";

/** The newest progress in the log of `trivium-weights`, which reports it as one JSON object per line. */
export function parseProgress(log: string): DownloadProgress | undefined {
  const line = parsedLines(log).findLast((one) => typeof one.bytes === "number");
  if (line === undefined) return undefined;
  const { bytes, total, rate, files } = line;
  const count = numberOf(files) ?? 0;
  return planProgress({
    bytes: numberOf(bytes) ?? 0,
    total: numberOf(total),
    rate: numberOf(rate),
    ...(count > 0 ? { files: { done: numberOf(line.filesDone) ?? 0, total: count } } : {}),
  });
}

/** More bytes than any weights have. */
const largestListing = 2 ** 50;

/** The bytes of all files that the listing of a source names; nothing where it names none, or an impossible amount. */
export function parseListedBytes(log: string): number | undefined {
  const listing = parsedLines(log).findLast((one) => Array.isArray(one.files) || one.sizeBytes !== undefined);
  if (listing === undefined) return undefined;
  const files = Array.isArray(listing.files) ? listing.files : [];
  const sum = files.reduce<number>(
    (all, file) => all + (isObject(file) ? amountOf(file.size) : 0),
    amountOf(listing.sizeBytes),
  );
  return sum > 0 && sum <= largestListing ? sum : undefined;
}

/** The SHA-256 digest of the first file, from the line that ends a download. */
export function parseDigest(log: string): string | undefined {
  const done = parsedLines(log).findLast((line) => line.event === "done");
  const [first] = Array.isArray(done?.files) ? done.files : [];
  const digest = isObject(first) ? first.sha256 : undefined;
  return typeof digest === "string" && /^[0-9a-f]{64}$/.test(digest) ? digest : undefined;
}

const numberOf = (value: Json | undefined): number | undefined => (typeof value === "number" ? value : undefined);

const amountOf = (value: Json | undefined): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;

function parsedLines(log: string): { readonly [key: string]: Json }[] {
  return log.split("\n").flatMap((line) => {
    if (!line.startsWith("{")) return [];
    try {
      const value = JSON.parse(line) as Json;
      return isObject(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}
