import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { ApiResponse } from "@trivium/kube";

export function headersOf(answer: ApiResponse): OutgoingHttpHeaders {
  return { "cache-control": "no-cache, private", ...(answer.headers as OutgoingHttpHeaders) };
}

/** Writes a whole answer at once, with its length, so that the connection can be used again. */
export function sendWhole(response: ServerResponse, answer: ApiResponse & { readonly body: string }): void {
  const headers = headersOf(answer);
  headers["content-length"] = Buffer.byteLength(answer.body);
  response.writeHead(answer.status, headers);
  response.end(answer.body);
}
