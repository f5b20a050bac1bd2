import type { ServerResponse } from "node:http";
import type { Refused } from "./fault.ts";

/** On every answer: no other page can show it in a frame, read it, or guess another type for it. */
const commonHeaders = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
} as const;

const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join("; ");

/** What the API or a model answers is data: opened as a page, it can load and run nothing. */
const dataPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox";

export const pageHeaders = { ...commonHeaders, "content-security-policy": pagePolicy } as const;
export const dataHeaders = {
  ...commonHeaders,
  "content-security-policy": dataPolicy,
  "cache-control": "no-store",
} as const;

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const headers = { ...dataHeaders, "content-type": "application/json; charset=utf-8" };
  response.writeHead(status, headers).end(`${JSON.stringify(value)}\n`);
}

/** Ends the connection where a body was not read to its end: what follows on it is not a request. */
export function sendRefusal(response: ServerResponse, refused: Refused): void {
  if (response.headersSent) return void response.destroy();
  if (!response.req.complete) response.setHeader("connection", "close");
  sendJson(response, refused.status, refused.body);
}
