import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type AimOptions, aimDefaults, createAim, createAimEai } from "@trivium/aim";
import type { ServingDialect } from "@trivium/domain";
import { gatewayRef } from "@trivium/gateway";
import { createLlmkube, type LlmkubeOptions, llmkubeDefaults } from "@trivium/llmkube";
import type { ModelStoreApi } from "@trivium/node";
import { createOme, modelStoreOf, type OmeOptions, omeDefaults } from "@trivium/ome";
import { dialects } from "./definitions.ts";
import type { RunRecord } from "./home.ts";

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
  /** Whether pods are containers, which see only what is mounted. */
  readonly hasContainers: boolean;
  /** How long weights of deleted Models are kept. */
  readonly keepSeconds: number;
}

const withServer =
  "start trivium up with --containers podman, or run the image with a llama-server of your own by a row under images in trivium.yaml";

/** What llama.cpp's server has and the local engine has not. */
const engineLimits: LlmkubeOptions["engineLimits"] = [
  {
    field: "speculativeDecoding",
    types: ["mtp", "draft-mtp", "draft-eagle3", "draft-dflash", "draft-dspark"],
    outcome: "refused",
    why: `the local engine does not support this type; use draft-simple with a draft model or ngram-simple, or ${withServer}`,
  },
  {
    field: "tensorOverrides",
    outcome: "ignored",
    why: `the local engine cannot place single tensors; ${withServer}`,
  },
];

export function dialectOptionsOf(parts: LocalParts): DialectOptions {
  const { folders, ome, cacheBytes, keepSeconds, hasContainers } = parts;
  const localRoots = folders.map(({ path }) => path);
  return {
    ome,
    llmkube: {
      ...llmkubeDefaults,
      localRoots,
      localFiles: "read in place",
      engineLimits: hasContainers ? [] : engineLimits,
      slotContexts: hasContainers ? "shared" : "own",
      // Processes of one person share their files already.
      cache: {
        ...llmkubeDefaults.cache,
        preparation: "none",
        size: `${Math.floor(cacheBytes / 1024 ** 2)}Mi`,
        keepSeconds,
      },
    },
    aim: {
      ...aimDefaults,
      operatorNamespace: gatewayRef.namespace,
      // Nothing here carries out KServe's objects, even where its definitions are applied.
      backend: "deployment",
      localRoots,
      localFiles: hasContainers ? "copied" : "linked",
      // Any server of the OpenAI protocol can serve custom weights. The node runs vLLM, or the local engine in its place.
      baseImage: "docker.io/vllm/vllm-openai:latest",
      baseArguments: ["--model", "{model}", "--served-model-name", "{name}", "--port", "{port}"],
    },
  };
}

export const createDialects = (options: DialectOptions): readonly ServingDialect[] => [
  createAim(options.aim),
  createAimEai(options.aim),
  createOme(options.ome),
  createLlmkube(options.llmkube),
];

/** How nodes are asked to hold models and report them, with the options that the dialects run with. */
export const modelStoreWith = (options: DialectOptions | undefined): ModelStoreApi =>
  modelStoreOf(options?.ome ?? omeDefaults) as ModelStoreApi;

/**
 * The dialects as they run behind an address: with the options of the control plane of this machine that has it, where one of the folders
 * is its home; else with the defaults.
 */
export function dialectsBehind(server: string, folders: readonly string[]): readonly ServingDialect[] {
  const options = optionsBehind(server, folders);
  return options === undefined ? dialects : createDialects(options);
}

/** The options of that control plane; nothing where they are not known. */
export const optionsBehind = (server: string, folders: readonly string[]): DialectOptions | undefined =>
  recordBehind(server, folders)?.options;

/** The record of the control plane of this machine that has this address, where one of the folders is its home. */
export function recordBehind(server: string, folders: readonly string[]): Partial<RunRecord> | undefined {
  for (const path of folders.map((folder) => join(folder, "run.json")).filter((one) => existsSync(one))) {
    const record = recordIn(path);
    if (record?.url === server) return record;
  }
  return undefined;
}

/** Nothing from a file of another program or version. */
function recordIn(path: string): Partial<RunRecord> | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Partial<RunRecord>;
  } catch {
    return undefined;
  }
}
