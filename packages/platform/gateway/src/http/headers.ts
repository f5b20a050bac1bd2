import type { HeaderList } from "../upstream/http/response-head.ts";
import type { ClientRequest } from "./exchange.ts";

/** Headers that are about one connection and never travel further. */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Said anew for the next connection, or by the sender of the new request. */
const ownWords: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "expect",
  "x-forwarded-for",
  "x-forwarded-proto",
  "x-forwarded-host",
  "x-trivium-gateway",
]);

/** What was named in `Connection` is about that connection too. */
function namedIn(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined) return undefined;
  const simple = connection.toLowerCase();
  if (simple === "keep-alive" || simple === "close") return undefined;
  return new Set(simple.split(",").map((name) => name.trim()));
}

export interface Forwarding {
  readonly host: string;
  /** Names that are left out, in lower case: a key that was for us. */
  readonly without?: ReadonlySet<string> | undefined;
}

/** The headers of a request as they go on, names and values one after the other. */
export function forwardedHeaders(request: ClientRequest, { host, without }: Forwarding): string[] {
  const { rawHeaders, headers } = request;
  const named = namedIn(headers.connection);
  const forwarded = ["host", host];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    const key = name.toLowerCase();
    if (hopByHop.has(key) || ownWords.has(key) || named?.has(key) || without?.has(key)) continue;
    forwarded.push(name, rawHeaders[at + 1] as string);
  }
  const before = headers["x-forwarded-for"];
  const client = request.socket.remoteAddress ?? "unknown";
  forwarded.push("x-forwarded-for", before === undefined ? client : `${before}, ${client}`);
  forwarded.push("x-forwarded-proto", "http");
  forwarded.push("x-forwarded-host", headers.host ?? host);
  return forwarded;
}

/** The headers of an answer as they go back, without those that `isLeftOut` names. */
export function answerHeaders(headers: HeaderList, isLeftOut?: (name: string) => boolean): string[] {
  const named = namedIn(joinedValue(headers, "connection"));
  const answer: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = (headers[at] as string).toLowerCase();
    if (hopByHop.has(name) || named?.has(name) || isLeftOut?.(name)) continue;
    answer.push(name, headers[at + 1] as string);
  }
  return answer;
}

function joinedValue(headers: HeaderList, wanted: string): string | undefined {
  let value: string | undefined;
  for (let at = 0; at < headers.length; at += 2) {
    if ((headers[at] as string).toLowerCase() !== wanted) continue;
    value = value === undefined ? headers[at + 1] : `${value}, ${headers[at + 1]}`;
  }
  return value;
}
