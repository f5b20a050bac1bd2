import type { Backend } from "./backend.ts";

/** A Service that answers to model names. */
export interface ServedModel {
  readonly backend: Backend;
  /** Names a person gave it (annotation `trivium.dev/models`), the preferred one first. */
  readonly aliases: readonly string[];
  /** Names that its own `/v1/models` lists; nothing while that is not known. */
  readonly listed?: readonly string[] | undefined;
  /** Equal for Services that stand for the same pods. */
  readonly pods: string;
  /** A headless twin gives way to its sibling. */
  readonly isHeadless: boolean;
}
