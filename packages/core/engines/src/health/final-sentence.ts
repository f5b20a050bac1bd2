/** `trivium-weights` ends with a line of JSON that has a sentence for people; others say what they say. */
export function finalSentence(words: string): string {
  const last = words.slice(words.lastIndexOf('{"event":"error"'));
  try {
    const { message } = JSON.parse(last) as { message?: unknown };
    return typeof message === "string" ? message : words;
  } catch {
    return words;
  }
}
