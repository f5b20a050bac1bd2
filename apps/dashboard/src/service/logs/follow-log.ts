import { apiPath, send } from "../../kube/request.ts";

export interface LogSource {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Of the container that ran before. */
  readonly isPrevious: boolean;
}

/** Lines of a container as they are written, until the signal. */
export async function* followLog(source: LogSource, signal: AbortSignal): AsyncGenerator<string[]> {
  const { namespace, pod, container, isPrevious } = source;
  const query = new URLSearchParams({ container, tailLines: "500" });
  query.set(isPrevious ? "previous" : "follow", "true");
  const path = `/api/v1/namespaces/${namespace}/pods/${encodeURIComponent(pod)}/log?${query}`;
  const { body } = await send(apiPath(path), { signal, mayFail: true });
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let open = "";
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const lines = (open + piece.value).split("\n");
    open = lines.pop() ?? "";
    if (lines.length > 0) yield lines;
  }
  if (open !== "") yield [open];
}
