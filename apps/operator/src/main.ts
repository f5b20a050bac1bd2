import { createAim } from "@trivium/aim";
import { createLlmkube } from "@trivium/llmkube";
import { createOme } from "@trivium/ome";
import { answerPermissions, answersOf } from "./answers.ts";
import type { Composition } from "./compose.ts";
import { runOperator } from "./run.ts";

const everything: Composition = (options) => ({
  dialects: [createAim(options.aim), createOme(options.ome), createLlmkube(options.llmkube)],
  answers: answersOf(options, process.env),
  permissions: answerPermissions,
  namespaces: [{ name: options.ome.namespace, holds: "ConfigMaps of OME and of its nodes", option: "--ome-namespace" }],
});

// The end is said, not waited for: what a refused start or a late stop has left open must not keep the process.
process.exit(await runOperator(everything, process.argv.slice(2)));
