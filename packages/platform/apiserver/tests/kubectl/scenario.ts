import type { Kubectl } from "./kubectl.ts";

/** What a scenario is given: kubectl in a namespace of its own, and a folder for files. */
export interface Stage {
  readonly kubectl: Kubectl;
  readonly folder: string;
  /** Whether the server is the embedded one. Against another, what only the embedded one promises is left out. */
  readonly isEmbedded: boolean;
}

/** Declares the tests of one area. The stage is set when they run. */
export type Scenario = (stage: () => Stage) => void;
