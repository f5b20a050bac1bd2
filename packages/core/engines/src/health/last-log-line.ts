/**
 * The end of a container's log for people. `trivium-weights` prints a line of JSON for each step: of those only the message of its
 * last error is for people, and progress is not a cause.
 */
export function lastLogLine(words: string): string {
  const error = words.slice(Math.max(0, words.lastIndexOf('{"event":"error"')));
  if (words.includes('{"event":"error"')) {
    const message = messageOf(error);
    if (message !== undefined) return message;
  }
  return words
    .replace(/^… [^{}]*\}(?=\s|$)/, "")
    .replace(/\{"(?:event|bytes)":[^{}]*\}/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

function messageOf(json: string): string | undefined {
  try {
    const { message } = JSON.parse(json) as { message?: unknown };
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}
