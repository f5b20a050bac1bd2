import { ApiError, type ApiResponse, type KubeObject, type WatchEvent } from "@trivium/kube";
import { errorOfStatus, failure } from "./failures.ts";
import { lineBatches } from "./lines.ts";

/** The events of a watch. Ends when the server ends the watch; an ERROR event is thrown as the error it carries. */
export async function* readWatch<O extends KubeObject>(
  body: ApiResponse["body"],
  call: string,
): AsyncGenerator<WatchEvent<O>> {
  for await (const lines of lineBatches(body)) {
    for (const line of lines) {
      if (line === "") continue;
      yield parseEvent<O>(line, call);
    }
  }
}

function parseEvent<O extends KubeObject>(line: string, call: string): WatchEvent<O> {
  const event = parseLine(line, call);
  switch (event.type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
    case "BOOKMARK":
      return event as unknown as WatchEvent<O>;
    case "ERROR":
      throw errorOfStatus(event.object, call);
    default:
      throw new ApiError(failure(500, `${call} sent an event of unknown type "${event.type}"`, "InternalError"));
  }
}

/** A watch that is cut in the middle of a line leaves half an event: an error like any other, cured by resuming. */
function parseLine(line: string, call: string): { type: string; object: unknown } {
  try {
    return JSON.parse(line) as { type: string; object: unknown };
  } catch {
    throw new ApiError(failure(0, `${call} ended in the middle of an event`, undefined));
  }
}
