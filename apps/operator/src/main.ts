import { createAim } from "@trivium/aim";
import { createLlmkube } from "@trivium/llmkube";
import { createOme } from "@trivium/ome";
import { answerPermissions, answersOf } from "./answers.ts";
import type { Composition } from "./compose.ts";
import { runOperator } from "./run.ts";

const chosen: Composition = (options) => {
  const all = [createAim(options.aim), createOme(options.ome), createLlmkube(options.llmkube)];
  const dialects = all.filter(({ name }) => options.dialects.includes(name));
  const holds = "ConfigMaps of OME and of its nodes";
  return {
    dialects,
    answers: answersOf(options, process.env),
    permissions: answerPermissions,
    namespaces: options.dialects.includes("ome")
      ? [{ name: options.ome.namespace, holds, option: "--ome-namespace" }]
      : [],
  };
};

// The end is said, not waited for: what a refused start or a late stop has left open must not keep the process.
process.exit(await runOperator(chosen, process.argv.slice(2)));
