import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { ApiResponse } from "@trivium/kube";

type Head = Pick<ApiResponse, "status" | "headers">;

export function headersOf(answer: Head): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { "cache-control": "no-cache, private" };
  for (const [name, value] of Object.entries(answer.headers)) {
    headers[name] = typeof value === "string" ? headerText(value) : value.map(headerText);
  }
  return headers;
}

/**
 * Values may quote what a user wrote. Node writes one byte for each character and throws for those above 255, when the change
 * is long stored: so text travels as UTF-8, as Go writes it and kubectl reads it, and line ends become spaces.
 */
function headerText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a header cannot carry.
  const clean = text.replace(/[\u0000-\u001f\u007f]/g, " ");
  return Buffer.from(clean, "utf8").toString("latin1");
}

/** Writes a whole answer at once, with its length, so that the connection can be used again. */
export function sendWhole(response: ServerResponse, answer: Head, body: string | Buffer): void {
  // As bytes: Node joins headers with a body that is text, and would encode both of them as UTF-8, the headers for the second time.
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  response.writeHead(answer.status, { ...headersOf(answer), "content-length": bytes.length });
  response.end(bytes);
}
