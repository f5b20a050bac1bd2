import type { ArtifactReport, SecretVariables } from "@trivium/domain";
import type { Instant, Millis } from "@trivium/std";
import type { Store } from "../store/store.ts";
import type { AddressRule } from "../transfer/http/address-guard.ts";
import type { ArtifactEvent } from "./artifact-event.ts";

/** What an artifact manager needs of the machine it runs on, and to whom it reports. */
export interface ArtifactManagerOptions {
  readonly store: Store;
  /** Where it is written down what was put on this disk. */
  readonly records: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Which addresses sources may lead to: objects of tenants name them. */
  readonly addresses: AddressRule;
  /**
   * Where a folder that pods name really is; throws with a sentence for people when it may not be used so. Files are put into folders that
   * are `filled`, and removed from there.
   */
  folderOf(path: string, use: "filled" | "read"): Promise<string>;
  /** The variables that a Secret gives; throws with a sentence for people when it does not have what must be there. */
  secretsOf(secret: SecretVariables): Promise<Record<string, string>>;
  onReport(report: ArtifactReport): void;
  /** Told when the files are gone, or were left where they are, and nothing more is to be said of them. */
  onGone(key: string): void;
  /** What there is to count. */
  onEvent?(event: ArtifactEvent): void;
  onError(what: string, error: unknown): void;
  readonly now: () => Instant;
  schedule(delay: Millis, run: () => void): () => void;
  /** How many are worked at together. */
  readonly lanes?: number;
  readonly retry?: { readonly first: Millis; readonly longest: Millis };
}
