import type { IncomingHttpHeaders } from "node:http";

/** The head of a POST in the form that nearly every client sends. */
export interface PlainHead {
  readonly method: "POST";
  readonly url: string;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** As they arrived, names and values one after the other. */
  readonly rawHeaders: string[];
  readonly length: number;
  /** Whether the client wants the connection closed afterwards. */
  readonly isLast: boolean;
}

const requestLine = /^POST (\/[A-Za-z0-9\-._~!$&'()*+,;=:@/?%]*) HTTP\/1\.1$/;
const tokenName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const forbiddenInValue = /[^\t\x20-\x7e\x80-\xff]/;
const maxHeaders = 64;

/** Headers that change how the connection goes on. */
const framing: ReadonlySet<string> = new Set(["transfer-encoding", "expect", "upgrade", "trailer"]);

/**
 * Reads the head of a request, from the request line to the last header. Nothing comes back for any other than the plain form: such a
 * request is not refused here, it is left to the server of Node, which knows all forms and all attacks.
 */
export function parsePlainHead(text: string): PlainHead | undefined {
  const lines = text.split("\r\n");
  const url = requestLine.exec(lines[0] as string)?.[1];
  if (url === undefined || lines.length > maxHeaders + 1) return undefined;
  const headers: IncomingHttpHeaders = {};
  const rawHeaders: string[] = [];
  for (let at = 1; at < lines.length; at += 1) {
    const line = lines[at] as string;
    const colon = line.indexOf(":");
    const name = line.slice(0, colon);
    const value = valueAfter(line, colon + 1);
    if (colon < 1 || !tokenName.test(name) || forbiddenInValue.test(value)) return undefined;
    const key = name.toLowerCase();
    // One that comes twice, or whose name every object has.
    if (headers[key] !== undefined || framing.has(key)) return undefined;
    headers[key] = value;
    rawHeaders.push(name, value);
  }
  return plainHeadOf(url, headers, rawHeaders);
}

function plainHeadOf(url: string, headers: IncomingHttpHeaders, rawHeaders: string[]): PlainHead | undefined {
  const { host, connection = "keep-alive", "content-length": length = "" } = headers;
  const wanted = connection.toLowerCase();
  if (host === undefined || host === "" || !/^\d{1,9}$/.test(length)) return undefined;
  if (wanted !== "keep-alive" && wanted !== "close") return undefined;
  return { method: "POST", url, headers, rawHeaders, length: Number(length), isLast: wanted === "close" };
}

/** Without the spaces and tabs around it. */
function valueAfter(line: string, from: number): string {
  let [first, end] = [from, line.length];
  while (first < end && isBlank(line.charCodeAt(first))) first += 1;
  while (end > first && isBlank(line.charCodeAt(end - 1))) end -= 1;
  return line.slice(first, end);
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;
