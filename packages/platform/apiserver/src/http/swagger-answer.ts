import type { ApiRequest, ApiResponse, Transport } from "@trivium/kube";
import type { JsonObject } from "@trivium/std";
import { encodeSwagger, swaggerAccept, swaggerMedia } from "./protobuf/swagger.ts";

/** The API speaks JSON; what clients want in protobuf is turned into it here, on the way out. */
export interface BinaryAnswer {
  readonly status: number;
  readonly headers: ApiResponse["headers"];
  readonly bytes: Buffer;
}

export function wantsBinarySwagger({ method, path, headers }: ApiRequest): boolean {
  if (method !== "GET" || !/^\/openapi\/v2(\?|$)/.test(path)) return false;
  const [first = ""] = (headers.accept ?? "").split(",", 1);
  return first.trim() === swaggerAccept || first.trim() === swaggerMedia;
}

/** `kubectl apply` asks each time, with the tag of the copy that it keeps. */
export async function binarySwagger(request: ApiRequest, transport: Transport): Promise<ApiResponse | BinaryAnswer> {
  const { "if-none-match": known = "", ...headers } = request.headers;
  const condition = known.endsWith(tagEnd) ? { "if-none-match": jsonTag(known) } : {};
  const answer = await transport({ ...request, headers: { ...headers, ...condition, accept: "application/json" } });
  const { etag, vary = "Accept" } = answer.headers;
  const tag = typeof etag === "string" ? { etag: binaryTag(etag) } : {};
  if (answer.status === 304) return { ...answer, headers: { ...tag, vary } };
  if (answer.status !== 200 || typeof answer.body !== "string") return answer;
  return {
    status: 200,
    headers: { "content-type": swaggerMedia, vary, ...tag },
    bytes: encodeSwagger(JSON.parse(answer.body) as JsonObject),
  };
}

/** The two forms differ in their bytes, so each has its own tag; this one is derived from that of JSON. */
const tagEnd = '-protobuf"';
const binaryTag = (tag: string): string => `${tag.slice(0, -1)}${tagEnd}`;
const jsonTag = (tag: string): string => `${tag.slice(0, -tagEnd.length)}"`;
