import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { ApiResponse } from "@trivium/kube";

type Head = Pick<ApiResponse, "status" | "headers">;

export function headersOf(answer: Head): OutgoingHttpHeaders {
  return { "cache-control": "no-cache, private", ...(answer.headers as OutgoingHttpHeaders) };
}

/** Writes a whole answer at once, with its length, so that the connection can be used again. */
export function sendWhole(response: ServerResponse, answer: Head, body: string | Buffer): void {
  const headers = headersOf(answer);
  headers["content-length"] = Buffer.byteLength(body);
  response.writeHead(answer.status, headers);
  response.end(body);
}
