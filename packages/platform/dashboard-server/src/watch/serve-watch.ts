import type { IncomingMessage, ServerResponse } from "node:http";
import { heartbeatSeconds, type WatchLine } from "../contract.ts";
import { dataHeaders } from "../http/answer.ts";
import { Refused } from "../http/fault.ts";
import { readJson } from "../http/read-body.ts";
import { SlowWriter } from "../http/send-pieces.ts";
import type { Session } from "../session/sessions.ts";
import { follow } from "./follow.ts";
import { parseWatches, type RequestedWatch } from "./parse-request.ts";
import { Places } from "./places.ts";

export interface WatchStream {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly session: Session;
  readonly signal: AbortSignal;
  /** How long a page may read nothing. */
  readonly patience?: number | undefined;
}

const maxBytes = 256 * 1024;
/** Tabs of one browser; more are a page that opens streams in a loop. */
const maxStreams = 16;
/** Lists of one stream that are in memory at a time: a page that does not read holds no more of them. */
const maxLists = 4;

/** Many watches over one connection: a browser has few of them for all tabs of a site. */
export async function serveWatch({ request, response, session, signal, patience }: WatchStream): Promise<void> {
  if (request.method !== "POST") throw new Refused("MethodNotAllowed", "/k8s-watch takes POST");
  const watches = parseWatches(await readJson(request, maxBytes));
  if (session.streams >= maxStreams)
    throw new Refused("TooManyRequests", `At most ${maxStreams} streams can be open; close another tab`);
  session.streams += 1;
  response.writeHead(200, { ...dataHeaders, "content-type": "application/x-ndjson; charset=utf-8" });
  response.flushHeaders();
  const writer = new SlowWriter(response, patience);
  const send = (line: WatchLine) => writer.write(`${JSON.stringify(line)}\n`);
  const places = new Places(maxLists);
  const beat = setInterval(() => void send({ type: "HEARTBEAT" }), heartbeatSeconds * 1000);
  try {
    await Promise.all(watches.map((watch) => followOne(watch, { session, signal, places, send })));
    // All of them ended for good; the stream stays open for its heartbeats until the page closes it.
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  } finally {
    clearInterval(beat);
    session.streams -= 1;
    response.end();
  }
}

interface Stream {
  readonly session: Session;
  readonly signal: AbortSignal;
  readonly places: Places;
  send(line: WatchLine): Promise<void>;
}

async function followOne(watch: RequestedWatch, stream: Stream): Promise<void> {
  const { id, refused } = watch;
  const { session, send } = stream;
  if (refused === undefined) return follow({ ...watch, ...stream, transport: session.connection.transport });
  const { status, message } = refused;
  await send({ id, type: "ERROR", code: status, reason: refused.code, message, isRetried: false });
}
