import { createAim, createAimEai } from "@trivium/aim";
import { createLlmkube } from "@trivium/llmkube";
import { createOme } from "@trivium/ome";
import { answerPermissions, answersOf } from "./answers.ts";
import type { Composition } from "./compose.ts";

/** The dialects that the options choose, what answers their queries, and the namespaces that they keep objects in. */
export const chosenParts: Composition = (options) => {
  const all = [
    createAim(options.aim),
    createAimEai(options.aim),
    createOme(options.ome),
    createLlmkube(options.llmkube),
  ];
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
