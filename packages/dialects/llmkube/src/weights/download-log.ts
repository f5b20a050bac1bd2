import { formatMemory } from "@trivium/engines";
import { isObject, type Json } from "@trivium/std";

/** How far a download is. */
export interface DownloadReport {
  readonly bytes: number;
  readonly total: number | undefined;
}

/** The last report in the log of a download; nothing where there is none. */
export const lastReport = (log: string): DownloadReport | undefined =>
  linesOf(log)
    .map(reportOf)
    .findLast((report) => report !== undefined);

/** The digest of the first file in the last line of a download that is done. */
export function fetchedDigest(log: string): string | undefined {
  const done = linesOf(log).findLast((line) => line.event === "done");
  const [first] = Array.isArray(done?.files) ? done.files : [];
  const digest = isObject(first) ? first.sha256 : undefined;
  return typeof digest === "string" && /^[0-9a-f]{64}$/.test(digest) ? digest : undefined;
}

export function describeDownload({ bytes, total }: DownloadReport): string {
  const done = formatMemory(bytes);
  return total === undefined
    ? `Downloading weights: ${done}`
    : `Downloading weights: ${done} of ${formatMemory(total)} (${Math.floor((100 * bytes) / total)}%)`;
}

type Line = { readonly [key: string]: Json };

function linesOf(log: string): Line[] {
  return log
    .trimEnd()
    .split("\n")
    .flatMap((line) => {
      try {
        const value = JSON.parse(line) as Json;
        return isObject(value) ? [value] : [];
      } catch {
        return [];
      }
    });
}

function reportOf({ bytes, total }: Line): DownloadReport | undefined {
  if (typeof bytes !== "number") return undefined;
  return { bytes, total: typeof total === "number" && total > 0 ? total : undefined };
}
