import { type AimOptions, aimDefaults, createAim } from "@trivium/aim";
import { createLlmkube } from "@trivium/llmkube";
import { createOme } from "@trivium/ome";
import { answerPermissions, answersOf } from "./answers.ts";
import type { Composition } from "./compose.ts";
import type { OperatorOptions } from "./options.ts";
import { runOperator } from "./run.ts";

/** Where AIM keeps what is of no namespace of a user's: with the operator, where that is said. */
const aimOptionsOf = ({ operatorNamespace }: OperatorOptions): AimOptions =>
  operatorNamespace === undefined ? aimDefaults : { ...aimDefaults, operatorNamespace };

const everything: Composition = (options) => ({
  dialects: [createAim(aimOptionsOf(options)), createOme(options.ome), createLlmkube(options.llmkube)],
  answers: answersOf(options, process.env),
  permissions: answerPermissions,
  namespaces: [{ name: options.ome.namespace, holds: "ConfigMaps of OME and of its nodes", option: "--ome-namespace" }],
});

// The end is said, not waited for: what a refused start or a late stop has left open must not keep the process.
process.exit(await runOperator(everything, process.argv.slice(2)));
