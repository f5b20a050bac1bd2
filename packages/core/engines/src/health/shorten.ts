const limit = 900;

/** Text of others as it may stand in a status: one line, no control characters, the beginning of it. */
export function shorten(text: string): string {
  const clean = text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the point
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]+/g, " ")
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, "")
    .replace(/[.\s]+$/, "");
  return (clean.length <= limit ? clean : `${clean.slice(0, limit)} …`).toWellFormed();
}
