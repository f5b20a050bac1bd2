import type { KubeObject } from "@trivium/kube";
import type { Note, Refusal } from "@trivium/reconcile";
import type { Millis } from "@trivium/std";

/** What became of a decision while it was carried out. */
export class Report {
  /** How many calls were made to change something, and how many of them did. */
  writes = 0;
  changes = 0;
  /** How many children were created. */
  created = 0;
  /** When to look again at what another operator keeps writing. */
  pause: Millis | undefined;
  /** Set where the status is left to the next pass, which sees the new children. */
  isStatusDue = false;
  /** Resolve when the caches have seen what was written. */
  readonly settling: Promise<void>[] = [];
  /** What could not be done and is worth another try. */
  readonly failures: Error[] = [];
  /** Children that the API server does not accept. */
  readonly refusals: Refusal[] = [];
  /** What the runtime itself has to tell, beside the notes of the decision. */
  readonly notes: Note[] = [];
  /** What there is to tell of other objects. */
  readonly events: { readonly object: KubeObject; readonly note: Note }[] = [];
}
