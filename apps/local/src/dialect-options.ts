import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type AimOptions, aimDefaults, createAim } from "@trivium/aim";
import type { ServingDialect } from "@trivium/domain";
import { gatewayRef } from "@trivium/gateway";
import { createLlmkube, type LlmkubeOptions, llmkubeDefaults } from "@trivium/llmkube";
import { createOme, type OmeOptions } from "@trivium/ome";
import { dialects } from "./definitions.ts";

/** What each dialect is started with. Plain data: `run.json` keeps it, so that `explain` decides with the same options. */
export interface DialectOptions {
  readonly aim: AimOptions;
  readonly ome: OmeOptions;
  readonly llmkube: LlmkubeOptions;
}

export interface LocalParts {
  /** Folders whose files models may name. */
  readonly folders: readonly { readonly path: string }[];
  readonly ome: OmeOptions;
  /** Bytes that the cache of weights may ask for. */
  readonly cacheBytes: number;
}

export function dialectOptionsOf({ folders, ome, cacheBytes }: LocalParts): DialectOptions {
  const localRoots = folders.map(({ path }) => path);
  return {
    ome,
    llmkube: {
      ...llmkubeDefaults,
      localRoots,
      localFiles: "read in place",
      // Processes of one person share their files already.
      cache: { ...llmkubeDefaults.cache, preparation: "none", size: `${Math.floor(cacheBytes / 1024 ** 2)}Mi` },
    },
    aim: {
      ...aimDefaults,
      operatorNamespace: gatewayRef.namespace,
      // Nothing here carries out KServe's objects, even where its definitions are applied.
      backend: "deployment",
      localRoots,
      // Any server of the OpenAI protocol can serve custom weights. The node runs vLLM, or the local engine in its place.
      baseImage: "docker.io/vllm/vllm-openai:latest",
      baseArguments: ["--model", "{model}", "--served-model-name", "{name}", "--port", "{port}"],
    },
  };
}

export const createDialects = (options: DialectOptions): readonly ServingDialect[] => [
  createAim(options.aim),
  createOme(options.ome),
  createLlmkube(options.llmkube),
];

/**
 * The dialects as they run behind an address: with the options of the control plane of this machine that has it, where one of the folders
 * is its home; else with the defaults.
 */
export function dialectsBehind(server: string, folders: readonly string[]): readonly ServingDialect[] {
  const records = folders.map((folder) => join(folder, "run.json")).filter((path) => existsSync(path));
  for (const path of records) {
    const options = optionsIn(path, server);
    if (options !== undefined) return createDialects(options);
  }
  return dialects;
}

/** Nothing from a file of another program or version. */
function optionsIn(path: string, server: string): DialectOptions | undefined {
  try {
    const { url, options } = JSON.parse(readFileSync(path, "utf8")) as { url?: string; options?: DialectOptions };
    return url === server ? options : undefined;
  } catch {
    return undefined;
  }
}
