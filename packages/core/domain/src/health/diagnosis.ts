/** Why something does not work: one cause, the object at fault, and what a person can do about it. */
export interface Diagnosis {
  /** The object at fault, as people name it: `Deployment chat`, `container server of Pod chat-0`. */
  readonly subject: string;
  /** What is wrong with which object, and why: a sentence without a full stop. */
  readonly cause: string;
  /** An instruction, such as `raise spec.resources.memory`. */
  readonly remedy: string;
}
