import type { ChatProgress } from "./stream-chat.ts";

/** Shorter than this, all of an answer arrived together: a busy machine or a proxy held it back. */
const leastSeconds = 0.05;

/** How fast an answer is. What arrived all at once is measured from the question on. */
export function describeRate({ tokens, seconds, firstSeconds }: Omit<ChatProgress, "text">): string {
  const time = seconds < leastSeconds ? firstSeconds + seconds : seconds;
  const rate = time > 0 ? `, ${(tokens / time).toFixed(1)} tokens/s` : "";
  return `${tokens} tokens${rate}, first token after ${firstSeconds.toFixed(2)}s`;
}
