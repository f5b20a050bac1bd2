import type { Instant } from "@trivium/std";
import type { LogOptions } from "./read-log.ts";

/** The log of one run of a container, wherever it is kept. */
export interface LogReading {
  readonly id: string;
  /** The wanted part, in pieces. A followed log ends when its container does, or when the reader goes. */
  read(request: LogOptions, now: Instant): AsyncIterable<string>;
}
