import { join } from "node:path";
import { type CustomResourceDefinition, gatewayApiCrds } from "@trivium/kube";
import type { Operator } from "@trivium/testkit";
import { createLlmkube, llmkubeDefaults } from "../src/index.ts";
import type { LlmkubeOptions } from "../src/options.ts";

export const storyFolder = join(import.meta.dirname, "../../../../stories/llmkube");

/** Routes, as every cluster with a Gateway has them. */
export const thirdPartyApis: readonly CustomResourceDefinition[] = await gatewayApiCrds();

/** The dialect as a story wants it; what it does not say is as usual. */
export const operator: Operator = (given) => {
  const options = given as Partial<LlmkubeOptions>;
  const cache = { ...llmkubeDefaults.cache, ...options.cache };
  return createLlmkube({ ...llmkubeDefaults, ...options, cache }).reconcilers;
};
