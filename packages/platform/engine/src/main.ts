#!/usr/bin/env node
// One file for both threads, so that a bundle of this program is one file too.
import { isMainThread } from "node:worker_threads";

// Native code works through what it is asked in one thread, in order: the next token is asked for before the batch is computed.
if (isMainThread) process.env.UV_THREADPOOL_SIZE = "1";

if (isMainThread && process.env.TRIVIUM_ENGINE_MODEL_TRIAL !== undefined) {
  const { runModelTrial } = await import("./model/model-trial.ts");
  await runModelTrial();
} else if (isMainThread) {
  const { runProgram } = await import("./program.ts");
  const code = await runProgram({
    args: process.argv.slice(2),
    environment: process.env,
    program: new URL(import.meta.url),
  });
  process.exit(code);
} else {
  const { runModelThread } = await import("./model/thread.ts");
  await runModelThread();
}
