import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command } from "commander";
import { createProgram } from "../src/program.ts";
import { startServer } from "./transcripts/server.ts";
import { playCommands } from "./transcripts/sessions.ts";
import { typedCommands } from "./transcripts/transcript.ts";

/** The words of each command that has no commands of its own: `models pull`. */
function wordsOf(command: Command, before: string): string[] {
  const inner = command.createHelp().visibleCommands(command);
  const words = `${before} ${command.name()}`.trim();
  return inner.length === 0 ? [words] : inner.flatMap((one) => wordsOf(one, words));
}

test("every command is in a transcript", () => {
  const missing = wordsOf(createProgram(), "").filter(
    (words) => !typedCommands.some((line) => `${line} `.includes(`${words} `)),
  );
  assert.deepEqual(missing, []);
});

test("every command on a seeded world prints what the transcript says, on the embedded server", async (t) => {
  const server = await startServer();
  t.after(() => server.close());
  await playCommands(t, server.kubeconfig);
});
