import type { Millis } from "@trivium/std";

export interface PieceFacts {
  /** What this run has brought so far. */
  readonly fetched: number;
  readonly connections: number;
  /** Bytes a millisecond of the connection's last piece; undefined for its first one. */
  readonly rate: number | undefined;
}

const kibibyte = 1024;
const smallest = 256 * kibibyte;
const first = 512 * kibibyte;
const largest = 32 * 1024 * kibibyte;
/** What the request costs should be little beside what it brings. */
const worthMs: Millis = 500;
const enough = 2 * 1024 * kibibyte;

/**
 * How much one request asks for. What was asked for and not yet written is lost when the process is killed: on a fast line up to
 * a whole piece lies in the buffers of each connection. So pieces begin small and grow with what the run has brought, of which a kill
 * then costs an eighth at most; a slow line, whose buffers are empty, gets what it brings in half a second.
 */
export function pieceSize({ fetched, connections, rate }: PieceFacts): number {
  const byRate = rate === undefined ? first : Math.min(enough, rate * worthMs);
  const byProgress = fetched / (8 * Math.max(1, connections));
  const wanted = Math.min(largest, Math.max(smallest, byRate, byProgress));
  return Math.ceil(wanted / (64 * kibibyte)) * 64 * kibibyte;
}
