import type { Backend } from "./backend.ts";

/** A Service that answers to model names. */
export interface ServedModel {
  readonly backend: Backend;
  /** Names a person gave it (annotation `trivium.dev/models`), the preferred one first. */
  readonly aliases: readonly string[];
  /** Names that its own `/v1/models` lists; nothing while that is not known. */
  readonly listed?: readonly string[] | undefined;
  /** LoRA adapters that a request can name instead. */
  readonly adapters?: readonly ServedAdapter[] | undefined;
  /** Equal for Services that stand for the same pods. */
  readonly pods: string;
  /** A headless twin gives way to its sibling. */
  readonly isHeadless: boolean;
}

export interface ServedAdapter {
  readonly name: string;
  /** Its number, where the server lists no names of adapters (llama.cpp). */
  readonly id?: number;
}
