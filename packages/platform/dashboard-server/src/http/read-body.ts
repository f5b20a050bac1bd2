import type { IncomingMessage } from "node:http";
import { Refused } from "./fault.ts";

/** The body as bytes, refused as soon as it is larger than allowed: by its declared length, or while it arrives. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => new Refused("TooLarge", `Request body is larger than ${maxBytes / 1024} KiB`);
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLarge();
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxBytes) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

export async function readJson(request: IncomingMessage, maxBytes: number): Promise<Readonly<Record<string, unknown>>> {
  const type = request.headers["content-type"] ?? "";
  if (!/^application\/json\b/i.test(type)) throw new Refused("BadRequest", "Content type must be application/json");
  const body = await readBody(request, maxBytes);
  const value = parseJson(body);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Refused("BadRequest", "Request body must be a JSON object");
}

/** A parser's own message quotes what it read, which may be a token. */
function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw new Refused("BadRequest", "Request body is not valid JSON");
  }
}
