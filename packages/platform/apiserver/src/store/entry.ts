import type { Stored } from "./store.ts";

/** An object as the store keeps it: what readers see, and who owns it. */
export interface Entry extends Stored {
  readonly owners: readonly string[];
}

export const noOwners: readonly string[] = [];

/** What is written to the log for one change. */
export interface Row {
  readonly op: "put" | "delete";
  readonly entry: Entry;
  /** The state that this change replaced. */
  readonly before: Entry | undefined;
}
