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

export async function binarySwagger(request: ApiRequest, transport: Transport): Promise<ApiResponse | BinaryAnswer> {
  const { "if-none-match": _, ...headers } = request.headers;
  const answer = await transport({ ...request, headers: { ...headers, accept: "application/json" } });
  if (answer.status !== 200 || typeof answer.body !== "string") return answer;
  return {
    status: 200,
    headers: { "content-type": swaggerMedia, vary: "Accept" },
    bytes: encodeSwagger(JSON.parse(answer.body) as JsonObject),
  };
}
