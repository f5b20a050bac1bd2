import type { DownloadProgress } from "@trivium/domain";
import { formatProgress, keepProgress, planProgress } from "@trivium/engines";
import type { BaseModel } from "../../kinds/base-model.ts";
import type { ObservedNode } from "../observe.ts";
import type { NodeProgress } from "./node-entry.ts";

/** A node that downloads, and how far it is where it reports that. */
export interface Downloading {
  readonly name: string;
  readonly progress?: NodeProgress | undefined;
  readonly queued?: true | undefined;
}

/** A download as `status.downloads` has it. */
export type ReportedDownload = NonNullable<NonNullable<BaseModel["status"]>["downloads"]>[number];

/** Each report is a write of the status and of every status that repeats it: that of more nodes is of no use to anybody. */
const maxNodes = 3;

/** What is reported of the first nodes: of each what was reported before, as long as that still holds. */
export function planDownloads(
  nodes: readonly Downloading[],
  reported: readonly ReportedDownload[] = [],
): ReportedDownload[] {
  return nodes.slice(0, maxNodes).map(({ name, progress, queued }) => {
    if (progress === undefined) return { node: name, ...(queued ? { queued } : {}) };
    const before = reported.find(({ node }) => node === name);
    const now = planProgress({
      bytes: progress.completedBytes,
      total: progress.totalBytes,
      rate: progress.speedBytesPerSec,
    });
    return { node: name, ...keepProgress(before === undefined ? undefined : progressOf(before), now) };
  });
}

function progressOf({ node: _, queued: __, bytesDone, ...counts }: ReportedDownload): DownloadProgress | undefined {
  return bytesDone === undefined ? undefined : { bytesDone, ...counts };
}

/** Who downloads and how far each is; `all` nodes do. */
export function describeDownloads(downloads: readonly ReportedDownload[], all: number): string {
  const more = all - downloads.length;
  const parts = [
    ...downloads.map(describeDownload),
    ...(more > 0 ? [`${more} more ${more === 1 ? "node" : "nodes"}`] : []),
  ];
  return `Downloading on ${parts.join("; ")}`;
}

/** Whether a node has not reported yet what there is to download. */
export const isListing = ({ entry: { source, listed, progress, queued } }: ObservedNode): boolean =>
  source !== undefined && listed === undefined && progress === undefined && queued === undefined;

function describeDownload(download: ReportedDownload): string {
  const progress = progressOf(download);
  if (progress !== undefined) return `${download.node}: ${formatProgress(progress)}`;
  return download.queued ? `${download.node}: queued after other downloads` : download.node;
}
