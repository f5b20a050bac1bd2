/** Milliseconds since the epoch. Decisions are given one; they never read a clock. */
export type Instant = number;
export type Millis = number;

/** The form of `metav1.Time`: whole seconds, UTC. */
export function formatTime(at: Instant): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** The form of `metav1.MicroTime`, used by Leases and new Events. */
export function formatMicroTime(at: Instant): string {
  return `${new Date(at).toISOString().slice(0, 23)}000Z`;
}

/** The instant a timestamp names, or undefined when it is no RFC 3339 timestamp. */
export function parseTime(text: string): Instant | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}
