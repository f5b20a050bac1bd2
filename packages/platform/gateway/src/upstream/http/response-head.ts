import type { Millis } from "@trivium/std";

/** What a replica sent is not HTTP/1.1, so nothing after it can be trusted. */
export class MalformedResponse extends Error {}

/** Names in lower case and values one after the other, in the order they arrived. */
export type HeaderList = readonly string[];

/** How the body of a response ends: there is none, after so many bytes, with an empty chunk, or with the connection. */
export type BodyFraming = "none" | "chunked" | "until-close" | number;

export interface ResponseHead {
  readonly status: number;
  readonly headers: HeaderList;
  readonly contentType: string;
  readonly framing: BodyFraming;
  /** How long the connection can wait for the next request; 0 when it takes no other. */
  readonly keepAlive: Millis;
}

/** Without a word of the server: shorter than the five seconds after which common model servers close. */
const defaultKeepAlive: Millis = 4_000;
const longestKeepAlive: Millis = 600_000;
/** A request that is on its way when the server closes would be lost. */
const keepAliveMargin: Millis = 1_000;

const tokenName = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a value must not contain
const forbiddenInValue = /[\x00-\x08\x0a-\x1f\x7f]/;

/**
 * Reads the lines from the status to the last header, without the empty line that ends them. Strict where two readers could
 * understand different things: lengths that contradict each other, folded lines, spaces around names.
 */
export function parseResponseHead(text: string, method: string): ResponseHead {
  const firstEnd = endOfLine(text, 0);
  const { status, minor } = parseStatusLine(text.slice(0, firstEnd));
  const headers: string[] = [];
  let contentType = "";
  let length: string | undefined;
  let lengthAt = 0;
  let coding: string | undefined;
  let connection = "";
  let hint: string | undefined;
  for (let from = firstEnd + 2; from < text.length; ) {
    const to = endOfLine(text, from);
    const colon = text.indexOf(":", from);
    if (colon === -1 || colon > to) throw new MalformedResponse("a header has no colon");
    const name = text.slice(from, colon).toLowerCase();
    const value = valueBetween(text, colon + 1, to);
    if (!tokenName.test(name)) throw new MalformedResponse("a header has an invalid name");
    if (forbiddenInValue.test(value)) throw new MalformedResponse(`header ${name} has an invalid value`);
    headers.push(name, value);
    from = to + 2;
    switch (name) {
      case "content-type":
        contentType = value;
        break;
      case "content-length":
        if (length === undefined) lengthAt = headers.length - 2;
        else if (length !== value) throw new MalformedResponse("conflicting content-length headers");
        else headers.length -= 2;
        length = value;
        break;
      case "transfer-encoding":
        coding = coding === undefined ? value : `${coding}, ${value}`;
        break;
      case "connection":
        connection += `,${value.toLowerCase()}`;
        break;
      case "keep-alive":
        hint = value;
        break;
    }
  }
  const framing = framingOf(method, status, length, coding);
  if (length !== undefined) tidyLength(headers, lengthAt, status);
  const isKept =
    framing !== "until-close" && (minor === 1 ? !hasToken(connection, "close") : hasToken(connection, "keep-alive"));
  return { status, headers, contentType, framing, keepAlive: isKept ? keepAliveOf(hint) : 0 };
}

/** Clients must read the same length as the gateway: none where there is never a body, or else a number without leading zeros. */
function tidyLength(headers: string[], at: number, status: number): void {
  const length = headers[at + 1] as string;
  if (status === 204) headers.splice(at, 2);
  else if (length.startsWith("0") && length !== "0") headers[at + 1] = String(Number(length));
}

/** Without the spaces and tabs around it. `trim` would take bytes of UTF-8 for spaces. */
function valueBetween(text: string, from: number, to: number): string {
  let [first, end] = [from, to];
  while (first < end && isBlank(text.charCodeAt(first))) first += 1;
  while (end > first && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(first, end);
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\r\n", from);
  return end === -1 ? text.length : end;
}

function parseStatusLine(line: string): { status: number; minor: number } {
  const [, minor, status] = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/.exec(line) ?? [];
  if (status === undefined) throw new MalformedResponse("invalid status line");
  return { status: Number(status), minor: Number(minor) };
}

function framingOf(
  method: string,
  status: number,
  length: string | undefined,
  coding: string | undefined,
): BodyFraming {
  if (length !== undefined && !/^\d{1,15}$/.test(length)) throw new MalformedResponse("invalid content-length");
  if (coding !== undefined && length !== undefined)
    throw new MalformedResponse("content-length and transfer-encoding in one response");
  if (method === "HEAD" || status < 200 || status === 204 || status === 304) return "none";
  if (coding === undefined) return length === undefined ? "until-close" : Number(length);
  const codings = coding.toLowerCase();
  return codings === "chunked" || /,\s*chunked$/.test(codings) ? "chunked" : "until-close";
}

const hasToken = (list: string, token: string): boolean =>
  list !== "" && list.split(",").some((each) => each.trim() === token);

function keepAliveOf(hint: string | undefined): Millis {
  const seconds = hint === undefined ? undefined : /(?:^|[\s,])timeout=(\d{1,9})/i.exec(hint)?.[1];
  if (seconds === undefined) return defaultKeepAlive;
  return Math.max(0, Math.min(Number(seconds) * 1_000 - keepAliveMargin, longestKeepAlive));
}
