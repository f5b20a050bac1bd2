import type { Diagnosis } from "../health/diagnosis.ts";
import type { MemoryShare } from "./memory.ts";

/** Whether a model fits where it is to run: the sum by term and place, and what would fit instead. */
export interface MemoryFit {
  /** `partly`: it runs, with some of its layers on the CPU. `unknown`: nothing says how much memory there is. */
  readonly fits: "yes" | "partly" | "no" | "unknown";
  readonly shares: readonly MemoryShare[];
  /** On all devices and the host together. */
  readonly bytes: number;
  /** Each a change that alone makes it fit. */
  readonly alternatives: readonly FitAlternative[];
  /** Layers on the devices, where it fits partly. */
  readonly deviceLayers?: number | undefined;
  /** Why it cannot run whatever the sum is, such as more devices than there are. */
  readonly impossible?: string | undefined;
  /** A pod requests more than any node offers, so that none is ever scheduled. */
  readonly unmet?: Diagnosis | undefined;
}

export interface FitAlternative {
  readonly change: "context" | "slots" | "cache" | "quantization" | "layers" | "devices";
  /** For a person, such as `a context of 16384 tokens`. */
  readonly text: string;
}
