import { createAim, createAimEai } from "@trivium/aim";
import { createLlmkube } from "@trivium/llmkube";
import { createOme } from "@trivium/ome";
import { answerPermissions, answersOf } from "./answers.ts";
import type { Composition } from "./compose.ts";
import type { OperatorOptions } from "./options/options.ts";

/** The dialects that the options choose, what answers their queries, and the namespaces that they keep objects in. */
export const chosenParts: Composition = (options) => {
  const all = [
    createAim(options.aim),
    createAimEai(options.aim),
    createOme(options.ome),
    createLlmkube(options.llmkube),
  ];
  const dialects = all.filter(({ name }) => options.dialects.includes(name));
  const isChosen = (name: OperatorOptions["dialects"][number]): boolean => options.dialects.includes(name);
  const ofOme = { name: options.ome.namespace, holds: "ConfigMaps of OME and of its nodes", option: "--ome-namespace" };
  const ofAim = {
    name: options.aim.operatorNamespace,
    holds: "Jobs and Secrets of AIM objects without a namespace",
    option: "--operator-namespace",
  };
  return {
    dialects,
    answers: answersOf(options, process.env),
    permissions: answerPermissions,
    namespaces: isChosen("ome") ? [ofOme] : [],
    homes: [...(isChosen("ome") ? [ofOme] : []), ...(isChosen("aim") || isChosen("aim-eai") ? [ofAim] : [])],
  };
};
