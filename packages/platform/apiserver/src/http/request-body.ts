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

/** What reading a body needs to know. */
export interface BodyLimits {
  /** Bytes of this body. */
  readonly limit: number;
  /** Called with the bytes that are held for it; throws where the server holds enough already. */
  hold(bytes: number): void;
}

/** Reads the whole body, refusing early what is announced to be too large and late what turns out to be. */
export async function readBody(request: IncomingMessage, limits: BodyLimits): Promise<TextBody> {
  const length = request.headers["content-length"];
  if (length === undefined && request.headers["transfer-encoding"] === undefined) return none;
  if (length !== undefined && Number(length) > limits.limit) throw tooLarge(limits.limit);
  const bytes = await readBytes(request, limits);
  const contentType = request.headers["content-type"];
  if (contentType?.startsWith(protobufMedia) === true) return await fromProtobuf(bytes);
  return { text: bytes.toString("utf8"), contentType };
}

function tooLarge(limit: number): ApiError {
  return bodyTooLarge(`Request entity too large: limit is ${limit}`);
}

function readBytes(request: IncomingMessage, { limit, hold }: BodyLimits): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limit) throw tooLarge(limit);
      hold(chunk.length);
      chunks.push(chunk);
    };
    request.on("data", function onData(chunk: Buffer) {
      try {
        take(chunk);
      } catch (error) {
        request.off("data", onData);
        request.pause();
        reject(error);
      }
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
