import { redact } from "@trivium/kube";

const most = 600;

/** Output of a container as it may stand in a status: no control characters, no credentials, the end of it, cut at the start of a word. */
export function sanitizeOutput(text: string | undefined, limit = most): string {
  const clean = redact(text ?? "")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the point
    .replace(/\u001b\[[0-9;]*[A-Za-z]/g, "")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the point
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]+/g, " ")
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, "")
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
