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
  /** The version of the object with the status that this pass wrote. */
  statusVersion: string | undefined;
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

  /** Whether nothing was to be done. */
  get isQuiet(): boolean {
    return this.writes === 0 && !this.isStatusDue && this.notes.length === 0;
  }

  /** Whether the status was written and nothing else happened. */
  get isOfStatusAlone(): boolean {
    const isPlain = this.failures.length === 0 && this.refusals.length === 0 && this.pause === undefined;
    return this.writes === 1 && this.statusVersion !== undefined && isPlain && this.notes.length === 0;
  }
}
