/**
 * The end of a container's log for people. `trivium-weights` prints a line of JSON for each step: of those only the message of its
 * last error is for people, and progress is not a cause.
 */
export function lastLogLine(words: string): string {
  return (
    errorEvent(words, "message") ??
    words
      .replace(/^… [^{}]*\}(?=\s|$)/, "")
      .replace(/\{"(?:event|bytes)":[^{}]*\}/g, " ")
      .replace(/\s+/g, " ")
      .trim()
  );
}

/** The reason that `trivium-weights` states for its end, such as `Stopped`; nothing where another program ended. */
export const lastErrorReason = (words: string): string | undefined => errorEvent(words, "reason");

/** A field of the last error that `trivium-weights` printed. */
function errorEvent(words: string, field: "message" | "reason"): string | undefined {
  const start = words.lastIndexOf('{"event":"error"');
  if (start < 0) return undefined;
  try {
    const value = (JSON.parse(words.slice(start)) as Record<string, unknown>)[field];
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
