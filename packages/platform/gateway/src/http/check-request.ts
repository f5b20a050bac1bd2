import { type Failure, fail } from "../failure.ts";
import type { RequestHead } from "./exchange.ts";

/** What is wrong with a request whatever it asks for; nothing when it may go on. */
export function faultOfRequest(request: RequestHead, urlBytes: number): Failure | undefined {
  const url = request.url ?? "";
  if (url.length > urlBytes) return fail(414, "url_too_long", `The URL is too long (maximum: ${urlBytes} bytes)`);
  if (!url.startsWith("/")) return fail(400, "bad_url", "The URL must start with a slash");
  // Whoever is behind us may take such a path for another one than the route was chosen by.
  if (hasDotSegment(url)) return fail(400, "bad_url", "The path must not contain . or .. as a segment");
  if (countHeader(request, "host") > 1) return fail(400, "bad_host", "The request has more than one Host header");
  if (request.method === "TRACE") return fail(405, "method_not_allowed", "TRACE is not allowed");
  return undefined;
}

function hasDotSegment(url: string): boolean {
  if (!url.includes("/.") && !/%2[ef5]/i.test(url)) return false;
  const path = url.split("?", 1)[0] as string;
  return /(?:^|\/|%2f|\\)(?:\.|%2e){1,2}(?:\/|%2f|\\|$)/i.test(path);
}

function countHeader({ rawHeaders }: RequestHead, name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === name) count += 1;
  return count;
}
