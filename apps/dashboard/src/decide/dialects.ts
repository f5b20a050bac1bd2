import { type AimOptions, aimDefaults, createAim, createAimEai } from "@trivium/aim";
import type { ServingDialect } from "@trivium/domain";
import { createLlmkube, type LlmkubeOptions, llmkubeDefaults } from "@trivium/llmkube";
import { createOme, type OmeOptions, omeDefaults } from "@trivium/ome";

export interface DialectOptions {
  readonly aim: AimOptions;
  readonly ome: OmeOptions;
  readonly llmkube: LlmkubeOptions;
}

/** The dialects with the options that the control plane runs with, as far as these are known. */
export const createDialects = (options?: Partial<DialectOptions>): readonly ServingDialect[] => [
  createAim(options?.aim ?? aimDefaults),
  createAimEai(options?.aim ?? aimDefaults),
  createOme(options?.ome ?? omeDefaults),
  createLlmkube(options?.llmkube ?? llmkubeDefaults),
];
