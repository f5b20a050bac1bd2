import { commandStatus } from "./command-status.ts";
import type { CommandConnection } from "./connection.ts";
import type { SpdySession, SpdyStream } from "./spdy/session.ts";
import { TerminalSizes } from "./terminal-size.ts";

/** The last of the protocols over SPDY, which every kubectl since 1.6 offers. */
export const spdyCommandProtocol = "v4.channel.k8s.io";

/** Milliseconds until a client has opened its streams. */
const openTime = 30_000;

/** Runs a command whose streams the client opens one by one, each with its kind in a header. */
export async function commandOverSpdy(connection: CommandConnection, session: SpdySession): Promise<void> {
  const { run, stdin, stdout, stderr, tty } = connection;
  const expected = ["error", ...(stdin ? ["stdin"] : []), ...(stdout ? ["stdout"] : []), ...(stderr ? ["stderr"] : [])];
  if (tty) expected.push("resize");
  const streams = new Map<string, SpdyStream>();
  const opened = Promise.withResolvers<boolean>();
  const serving = session.serve((stream) => {
    const kind = stream.headers.get("streamtype") ?? "";
    if (!expected.includes(kind) || streams.has(kind)) return void stream.destroy();
    streams.set(kind, stream);
    if (streams.size === expected.length) opened.resolve(true);
  });
  serving.catch(() => undefined);
  const giveUp = setTimeout(() => opened.resolve(false), openTime);
  session.ended.addEventListener("abort", () => opened.resolve(false));
  const isOpen = await opened.promise;
  clearTimeout(giveUp);
  if (!isOpen) return session.end();
  const sizes = new TerminalSizes();
  readSizes(streams.get("resize"), sizes);
  const result = await run({
    stdin: streams.get("stdin"),
    stdout: streams.get("stdout"),
    stderr: streams.get("stderr"),
    onResize: sizes.onResize,
    gone: session.ended,
  });
  await endWith(streams, JSON.stringify(commandStatus(result)));
  await session.leave();
  await serving.catch(() => undefined);
}

/** Each size is one JSON object, and nothing separates them. */
function readSizes(stream: SpdyStream | undefined, sizes: TerminalSizes): void {
  let text = "";
  stream?.on("data", (piece: Buffer) => {
    text = (text + piece.toString("utf8")).slice(-1024);
    for (let end = text.indexOf("}"); end >= 0; end = text.indexOf("}")) {
      sizes.take(text.slice(0, end + 1).trim());
      text = text.slice(end + 1);
    }
  });
}

/** All that was printed is sent before the client learns how it ended. */
async function endWith(streams: ReadonlyMap<string, SpdyStream>, status: string): Promise<void> {
  const end = (stream: SpdyStream | undefined, text?: string): Promise<void> =>
    new Promise((resolve) => {
      if (stream === undefined || stream.destroyed || stream.writableEnded) return resolve();
      stream.once("close", resolve);
      if (text !== undefined) stream.write(text);
      stream.end(() => resolve());
    });
  for (const kind of ["stdout", "stderr"]) await end(streams.get(kind));
  await end(streams.get("error"), status);
  for (const kind of ["stdin", "resize"]) await end(streams.get(kind));
}
