const most = 600;

/** Output of a container as it may stand in a status: no control characters, the end of it, cut between characters. */
export function cleanWords(text: string | undefined, limit = most): string {
  const clean = (text ?? "")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the point
    .replace(/\u001b\[[0-9;]*[A-Za-z]/g, "")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the point
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]+/g, " ")
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, "")
    .trim();
  if (clean.length <= limit) return clean.toWellFormed();
  const end = clean.slice(-limit);
  const isCut = /^[\udc00-\udfff]/.test(end);
  return `… ${isCut ? end.slice(1) : end}`.toWellFormed();
}
