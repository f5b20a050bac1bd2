import type { ApiResponse } from "@trivium/kube";
import type { Call } from "../../call.ts";
import { integerOf } from "../../options.ts";
import { notFound, refusal } from "../../refusals.ts";
import { isTrue } from "../../request.ts";
import { objectAt } from "../../storage/storage.ts";
import { containerOf } from "../../streaming/choose-container.ts";

/** The log of one container. Where it comes from is the node's business. */
export async function podLog(call: Call): Promise<ApiResponse> {
  const { backend, resource, query } = call;
  const stored = backend.storage.get(resource, call.namespace, call.name);
  if (stored === undefined) throw notFound(resource, call.name);
  const pod = objectAt(resource, stored);
  const container = containerOf(pod, query.get("container") ?? "");
  if (backend.podLogs === undefined) {
    throw refusal(501, undefined, "logs are not available: this API server runs without a node agent");
  }
  const body = backend.podLogs(pod, {
    container,
    follow: isTrue(query.get("follow")),
    previous: isTrue(query.get("previous")),
    timestamps: isTrue(query.get("timestamps")),
    sinceSeconds: atLeast(query, "sinceSeconds", 1),
    sinceTime: query.get("sinceTime") ?? undefined,
    tailLines: atLeast(query, "tailLines", 0),
    limitBytes: atLeast(query, "limitBytes", 1),
    signal: call.request.signal,
  });
  return { status: 200, headers: { "content-type": "text/plain", "cache-control": "no-cache, private" }, body };
}

function atLeast(query: URLSearchParams, name: string, least: number): number | undefined {
  const value = integerOf(query, name);
  if (value === undefined || value >= least) return value;
  const detail = least === 0 ? "must be greater than or equal to 0" : "must be greater than 0";
  throw refusal(422, "Invalid", `PodLogOptions "" is invalid: ${name}: Invalid value: ${value}: ${detail}`, {
    kind: "PodLogOptions",
  });
}
