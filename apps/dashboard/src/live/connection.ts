import {
  heartbeatSeconds,
  paths,
  requestHeader,
  requestHeaderValue,
  type WatchLine,
  type WatchSpec,
} from "@trivium/dashboard-server/contract";
import { refreshSession } from "../session/session.ts";

export type LinkState = "connecting" | "live" | "broken";

export interface ConnectionOptions {
  /** What to watch, and where to go on: asked before each attempt. */
  watches(): readonly WatchSpec[];
  receive(lines: readonly WatchLine[]): void;
  report(state: LinkState): void;
  readonly signal: AbortSignal;
}

/** Twice the time between two lines of a healthy stream. */
const silence = heartbeatSeconds * 2_000;
const [firstPause, longestPause] = [250, 5_000];

/** One stream for everything a page watches. It is opened again after a break, and goes on where it was. */
export async function keepConnected(options: ConnectionOptions): Promise<void> {
  const { signal, report } = options;
  let pause = firstPause;
  while (!signal.aborted) {
    const hasReceived = await readStream(options).catch(() => false);
    if (signal.aborted) return;
    report("broken");
    pause = hasReceived ? firstPause : Math.min(pause * 2, longestPause);
    await wait(pause, signal);
  }
}

/** Whether anything was received before the stream ended. */
async function readStream({ watches, receive, report, signal }: ConnectionOptions): Promise<boolean> {
  const attempt = new AbortController();
  const stop = () => attempt.abort();
  signal.addEventListener("abort", stop, { once: true });
  let timer = setTimeout(stop, silence);
  let hasReceived = false;
  try {
    const response = await fetch(`.${paths.watch}`, {
      method: "POST",
      headers: { "content-type": "application/json", [requestHeader]: requestHeaderValue },
      body: JSON.stringify({ watches: watches() }),
      signal: attempt.signal,
    });
    if (response.status === 401) await refreshSession();
    if (!response.ok || response.body === null) return false;
    for await (const lines of linesOf(response.body)) {
      clearTimeout(timer);
      timer = setTimeout(stop, silence);
      if (!hasReceived) report("live");
      hasReceived = true;
      receive(lines);
    }
  } catch {
    // A break: the caller opens the stream again.
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
  return hasReceived;
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<WatchLine[]> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  const open: string[] = [];
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const end = piece.value.lastIndexOf("\n");
    if (end < 0) {
      open.push(piece.value);
      continue;
    }
    const whole = [...open.splice(0), piece.value.slice(0, end)].join("").split("\n");
    open.push(piece.value.slice(end + 1));
    yield whole.filter((line) => line !== "").map((line) => JSON.parse(line) as WatchLine);
  }
}

const wait = (millis: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, millis);
    signal.addEventListener("abort", end);
  });
