import { redact } from "@trivium/kube";

const most = 600;

/** Only the end is shown; so much before it may say that something in it is a credential. */
const searched = 16_384;

/** Output of a container as it may stand in a status: no control characters, no credentials, the end of it, cut at the start of a word. */
export function sanitizeOutput(text: string | undefined, limit = most): string {
  // What is not seen on a screen would hide a credential from the search, so it goes first.
  const seen = (text ?? "")
    .slice(-4 * (searched + limit))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the point
    .replace(/\u001b\[[0-9;:?]*[A-Za-z]/g, "")
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, "")
    .slice(-(searched + limit));
  const clean = redact(seen)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the point
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ")
    .trim();
  if (clean.length <= limit) return clean.toWellFormed();
  return `… ${fromWordStart(clean, clean.length - limit)}`.toWellFormed();
}

/** A word that is longer than most is cut within, between two characters: better half of it than nothing. */
const longestWord = 60;

function fromWordStart(text: string, at: number): string {
  const end = text.slice(at);
  if (/\s/.test(text[at - 1] ?? " ")) return end.trimStart();
  const start = end.search(/\s\S/);
  if (start >= 0 && start <= longestWord) return end.slice(start + 1);
  return /^[\udc00-\udfff]/.test(end) ? end.slice(1) : end;
}
