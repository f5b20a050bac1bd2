import { formatMemory } from "@trivium/engines";
import type { NodeProgress } from "./node-entry.ts";

/** A node that fetches, and how far it is where it says so. */
export interface Fetching {
  readonly name: string;
  readonly progress?: NodeProgress | undefined;
  readonly queued?: true | undefined;
}

const begin = "Downloading on ";
const maxNodes = 3;
/** A share that grows faster is told this often. */
const seconds = 10;
/** Speeds swing: only what takes so many times as long is told before its percent is over. */
const farOff = 8;

/**
 * Who fetches and how far each is. Nodes speak every few seconds, and each other word is a write of the status and of those who repeat it: what
 * was said before of a node stays until it is a percent and ten seconds old, or its time left is far too short.
 */
export function describeFetching(nodes: readonly Fetching[], before: string | undefined): string {
  const reported = before?.startsWith(begin) ? before.slice(begin.length).split("; ") : [];
  const shown = nodes.slice(0, maxNodes).map((node) => partOf(node, reported));
  const more = nodes.length - shown.length;
  return begin + [...shown, ...(more > 0 ? [`${more} more ${more === 1 ? "node" : "nodes"}`] : [])].join("; ");
}

function partOf({ name, progress, queued }: Fetching, reported: readonly string[]): string {
  if (progress === undefined) return queued ? `${name}: queued after other downloads` : name;
  const { completedBytes: bytes, totalBytes: total } = progress;
  if (total <= 0) return `${name}: more than ${roughly(bytes)}`;
  const own = reported.find((part) => part.startsWith(`${name}: `));
  return own !== undefined && stillHolds(own, progress) ? own : `${name}: ${shareOf(bytes, total)}${leftOf(progress)}`;
}

function shareOf(bytes: number, total: number): string {
  return `${formatMemory(bytes)} of ${formatMemory(total)} (${percentOf(bytes, total)}%)`;
}

/** By its first digit, which seldom changes. */
function roughly(bytes: number): string {
  const unit = 1024 ** Math.floor(Math.log2(Math.max(bytes, 1)) / 10);
  const digit = 10 ** Math.floor(Math.log10(Math.max(bytes / unit, 1)));
  return formatMemory(Math.floor(bytes / unit / digit) * digit * unit);
}

const percentOf = (bytes: number, total: number): number => Math.floor((100 * bytes) / total);

const units = { s: 1, m: 60, h: 3600 } as const;

function secondsLeft({ completedBytes, totalBytes, speedBytesPerSec: rate }: NodeProgress): number | undefined {
  const rest = totalBytes - completedBytes;
  return rate > 0 && rest > 0 ? Math.ceil(rest / rate) : undefined;
}

function leftOf(progress: NodeProgress): string {
  const left = secondsLeft(progress);
  if (left === undefined) return "";
  const unit = left < 120 ? "s" : left < 120 * 60 ? "m" : "h";
  return `, about ${Math.ceil(left / units[unit])}${unit} left`;
}

function stillHolds(part: string, progress: NodeProgress): boolean {
  const [, percent, count, unit] = / \((\d+)%\)(?:, about (\d+)(s|m|h) left)?$/.exec(part) ?? [];
  if (percent === undefined) return false;
  const { completedBytes: bytes, totalBytes: total, speedBytesPerSec: rate } = progress;
  const grown = percentOf(bytes, total) - Number(percent);
  if (grown < 0 || grown >= Math.max(1, (100 * rate * seconds) / total)) return false;
  const left = secondsLeft(progress);
  // Where no time was promised, none is missed; only the very first word comes before any speed is known.
  if (count === undefined) return left === undefined || !part.includes(": 0 of ");
  const promised = Number(count) * units[unit as keyof typeof units];
  return left !== undefined && left <= farOff * promised + seconds;
}
