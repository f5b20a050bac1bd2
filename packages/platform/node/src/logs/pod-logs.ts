import type { PodLogs } from "@trivium/apiserver";
import { ApiError } from "@trivium/kube";
import type { Instant } from "@trivium/std";
import { type LogBook, LogRefusal } from "./log-book.ts";
import type { LogReading } from "./log-reading.ts";

/** The logs as the embedded API server asks for them: without a kubelet between. */
export function podLogsOf(book: LogBook, now: () => Instant): PodLogs {
  return (pod, request) => {
    const { nodeName } = pod.spec as { nodeName?: string };
    // A pod that is on no node has printed nothing yet.
    if (!nodeName) return nothing();
    const { namespace = "", name = "" } = pod.metadata;
    const place = { namespace, pod: name, container: request.container, previous: request.previous };
    return findRun(book, place).read(request, now());
  };
}

async function* nothing(): AsyncGenerator<string> {}

function findRun(book: LogBook, place: Parameters<LogBook["find"]>[0]): LogReading {
  try {
    return book.find(place);
  } catch (error) {
    if (!(error instanceof LogRefusal)) throw error;
    const reason = error.code === 404 ? "NotFound" : "BadRequest";
    const { code, message } = error;
    throw new ApiError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code });
  }
}
