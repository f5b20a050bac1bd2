#!/usr/bin/env node
// One file for both threads, so that a bundle of this program is one file too.
import { isMainThread } from "node:worker_threads";

if (isMainThread && process.env.TRIVIUM_ENGINE_TEMPLATE_TRIAL !== undefined) {
  const { runTemplateTrial } = await import("./model/template-check.ts");
  await runTemplateTrial();
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
