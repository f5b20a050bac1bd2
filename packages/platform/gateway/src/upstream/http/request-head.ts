/** A request that cannot be written down as HTTP/1.1; no other replica would get it either. */
export class UnsendableRequest extends Error {}

export interface RequestLine {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Names and values one after the other, `host` among them; nothing about connection or framing but `content-length`. */
  readonly headers: readonly string[];
}

/** Length of the body, whether it is already among the headers, or that it arrives in chunks. */
export type BodyLength = number | "as-announced" | "chunked";

const tokenName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const forbiddenInValue = /[^\t\x20-\x7e\x80-\xff]/;
const forbiddenInPath = /[^\x21-\xff]/;

/** Methods whose requests are understood to have a body: without one they say so. */
const withBody: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

/** The head of a request with the empty line that ends it, one character a byte. */
export function formatRequestHead({ method, path, headers }: RequestLine, length: BodyLength): string {
  if (forbiddenInPath.test(path)) throw new UnsendableRequest("the path has an invalid character");
  let head = `${method} ${path} HTTP/1.1\r\n`;
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] as string;
    const value = headers[at + 1] as string;
    if (!tokenName.test(name)) throw new UnsendableRequest("a header has an invalid name");
    if (forbiddenInValue.test(value)) throw new UnsendableRequest(`header ${name} has an invalid value`);
    head += `${name}: ${value}\r\n`;
  }
  if (length === "chunked") head += "transfer-encoding: chunked\r\n";
  else if (length !== "as-announced" && (length > 0 || withBody.has(method))) head += `content-length: ${length}\r\n`;
  return `${head}connection: keep-alive\r\n\r\n`;
}
