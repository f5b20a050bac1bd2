#!/usr/bin/env -S node --max-semi-space-size=8
// The flag makes the engine drop network buffers sooner: a busy gateway keeps some eighty megabytes less. Half of it would cost a
// third more processor time.
import { runProgram } from "./program.ts";
import { placeOf } from "./workers/run-worker.ts";

/** Longer than streams and workers have to end. */
const stopTimeout = 15_000;

const stop = new AbortController();
const isWorker = placeOf(process.env) !== undefined;
// A terminal sends its signals to all processes: workers are stopped by the one that started them, or when it is gone.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  if (isWorker) process.on(signal, () => {});
  else process.once(signal, () => stop.abort());
}
if (isWorker) process.once("disconnect", () => stop.abort());
// Whoever starts us as a part of something larger holds our standard input open; when it goes, we go, however it went.
if (process.env.TRIVIUM_LIFELINE === "stdin") process.stdin.on("close", () => stop.abort()).resume();
// When whoever started us is gone, nobody reads what we print; an error about that, printed, would be the next one, without end.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => stop.abort());
// Requests are guarded one by one; what escapes all the same is logged and must not end the others.
for (const event of ["uncaughtException", "unhandledRejection"] as const)
  process.on(event, (error: unknown) => {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${JSON.stringify({ level: 50, msg: `unexpected error: ${message}` })}\n`);
  });
// Streams have their grace and the API server a moment. One that does not answer must not keep the process: nothing else would end it.
stop.signal.addEventListener("abort", () => setTimeout(() => process.exit(1), stopTimeout).unref());
// The end is said, not waited for: a client that does not hang up must not keep the process.
process.exit(
  await runProgram(process.argv.slice(2), { signal: stop.signal, out: process.stdout, err: process.stderr }),
);
