import type { ApiRequest, ApiResponse, Transport } from "@trivium/kube";
import { errorOfAnswer, errorOfSilence } from "./failures.ts";
import { textOf } from "./text.ts";

/** The answer of a call that succeeded; throws an ApiError for any other, and for a call without an answer. */
export async function callApi(transport: Transport, request: ApiRequest): Promise<ApiResponse> {
  const response = await transport(request).catch((cause: unknown) => {
    if (request.signal?.aborted) throw request.signal.reason;
    throw errorOfSilence(cause, nameOf(request));
  });
  if (response.status < 400) return response;
  throw errorOfAnswer(response.status, await textOf(response), nameOf(request));
}

/** Method and path, as messages name a call; its query may be long. */
export function nameOf(request: ApiRequest): string {
  return `${request.method} ${request.path.split("?", 1)[0]}`;
}
