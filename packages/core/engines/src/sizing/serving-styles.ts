import type { ServingStyle } from "@trivium/domain";

const mebibyte = 1024 * 1024;

/**
 * Windows are kept with one batch besides, everything in steps of 256 tokens. What libraries take was measured with CUDA on an H200
 * (driver 580): the same model with flash attention and without it.
 */
const llamaCpp = {
  name: "llama.cpp",
  batch: 512,
  cellPadding: 256,
  windowSlack: 512,
  attention: "flash",
  logits: "batch",
  usable: 1,
  keepsTokenTable: true,
  flashHeads: { shortest: 64, libraryBytes: 108 * mebibyte },
  reserveBytes: 300 * mebibyte,
} as const satisfies ServingStyle;

export const servingStyles = {
  llamacpp: llamaCpp,
  /** The engine of one machine: as llama.cpp, but each slot has a cache of its own where nobody says how many there are. */
  local: {
    ...llamaCpp,
    freeSlots: { most: 4, cacheBytes: 1024 * mebibyte },
  },
  /** Engines that page their cache, such as vLLM and SGLang. */
  paged: {
    name: "paged",
    batch: 8192,
    cellPadding: 16,
    windowSlack: 16,
    attention: "flash",
    logits: "slots",
    usable: 0.9,
    reserveBytes: 1024 * mebibyte,
  },
  /** The rule of thumb of agents that admit models on a laptop: weights, cache, and half a gibibyte. */
  thumb: {
    name: "rule of thumb",
    batch: 0,
    cellPadding: 1,
    windowSlack: 0,
    attention: "none",
    logits: "slots",
    usable: 1,
    reserveBytes: 512 * mebibyte,
  },
} as const satisfies Readonly<Record<string, ServingStyle>>;
