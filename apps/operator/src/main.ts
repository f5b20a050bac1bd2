import { aim } from "@trivium/aim";
import { createLlmkube } from "@trivium/llmkube";
import { ome } from "@trivium/ome";
import { answerPermissions, answersOf } from "./answers.ts";
import type { Composition } from "./compose.ts";
import { runOperator } from "./run.ts";

const everything: Composition = (options) => ({
  dialects: [aim, ome, createLlmkube(options.llmkube)],
  answers: answersOf(options, process.env),
  permissions: answerPermissions,
});

// The end is said, not waited for: what a refused start or a late stop has left open must not keep the process.
process.exit(await runOperator(everything, process.argv.slice(2)));
