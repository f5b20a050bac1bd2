import { WeightsError } from "../fault.ts";
import type { HttpAnswer } from "../transfer/http/http-client.ts";

/** A listing is never larger than this; an endless answer must not fill the memory. */
const maxBytes = 32 * 1024 * 1024;

export async function readText(answer: HttpAnswer, shownAs: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxBytes)
      throw new WeightsError("refused", "TooManyFiles", `${shownAs}: the list is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
