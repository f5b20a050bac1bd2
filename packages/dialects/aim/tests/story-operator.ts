import { join } from "node:path";
import { type CustomResourceDefinition, gatewayApiCrds } from "@trivium/kube";
import type { Operator } from "@trivium/testkit";
import { aimDefaults, createAim } from "../src/index.ts";

export const storyFolder = join(import.meta.dirname, "../../../../stories/aim");

/** The dialect as a story wants it, at home where the story is. */
export const operator: Operator = (given, { namespace }) =>
  createAim({ ...aimDefaults, operatorNamespace: namespace, ...given }).reconcilers;

/** Routes, as every cluster with a Gateway has them. */
export const neighbours: readonly CustomResourceDefinition[] = await gatewayApiCrds();
