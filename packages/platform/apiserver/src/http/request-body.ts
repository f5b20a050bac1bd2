import type { IncomingMessage } from "node:http";
import type { ApiError } from "@trivium/kube";
import { badRequest, bodyTooLarge } from "../refusals.ts";
import { decodeProtobuf, protobufMedia } from "./protobuf/decode.ts";
import type { Messages } from "./protobuf/messages.ts";
import { WireError } from "./protobuf/wire.ts";

/** The body of a request as text, with the content type that is true of it. */
export interface TextBody {
  readonly text: string | undefined;
  readonly contentType: string | undefined;
}

const none: TextBody = { text: undefined, contentType: undefined };

/** Reads the whole body, refusing early what is announced to be too large and late what turns out to be. */
export async function readBody(request: IncomingMessage, limit: number): Promise<TextBody> {
  const length = request.headers["content-length"];
  if (length === undefined && request.headers["transfer-encoding"] === undefined) return none;
  if (length !== undefined && Number(length) > limit) throw tooLarge(limit);
  const bytes = await readBytes(request, limit);
  const contentType = request.headers["content-type"];
  if (contentType?.startsWith(protobufMedia) === true) return await fromProtobuf(bytes);
  return { text: bytes.toString("utf8"), contentType };
}

function tooLarge(limit: number): ApiError {
  return bodyTooLarge(`Request entity too large: limit is ${limit}`);
}

function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) {
        chunks.push(chunk);
        return;
      }
      request.pause();
      reject(tooLarge(limit));
    });
    request.on("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size)));
    request.on("error", reject);
  });
}

let messages: Promise<Messages> | undefined;

/** The table of messages is loaded with the first body that needs it. */
async function fromProtobuf(bytes: Buffer): Promise<TextBody> {
  messages ??= import("./protobuf/generated/messages.json", { with: { type: "json" } }).then(
    (module) => module.default as unknown as Messages,
  );
  try {
    return { text: JSON.stringify(decodeProtobuf(bytes, await messages)), contentType: "application/json" };
  } catch (error) {
    if (error instanceof WireError || error instanceof SyntaxError) throw badRequest(error.message);
    throw error;
  }
}
