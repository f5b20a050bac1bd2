import type { Failure } from "./failure.ts";

/** How far the pods of a role are. */
export interface HealthReport {
  readonly desired: number;
  /** Pods there are, of whatever template. */
  readonly total: number;
  /** Pods of the newest template that answer and list a model. */
  readonly ready: number;
  /** Pods that answer, also of older templates. */
  readonly answering: number;
  /** Ready pods whose server has not listed a model yet, and why. */
  readonly unlisted?: { readonly pod: string; readonly why: string };
  readonly failure?: Failure;
  /** The model server that another one stands in for. */
  readonly standIn?: string;
}
