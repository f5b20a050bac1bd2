import type { AcceleratorClass } from "../kinds/accelerator-class.ts";

/** What matters of an AcceleratorClass to services. */
export interface ObservedClass {
  readonly name: string;
  readonly spec: AcceleratorClass["spec"];
  /** Whether a node that has the accelerator accepts pods. */
  readonly hasNodes: boolean;
}

/** A class that a runtime lists, at this place of its list; without an object it cannot be selected. */
export interface ClassCandidate {
  readonly name: string;
  readonly at: number;
  readonly found?: ObservedClass | undefined;
}
