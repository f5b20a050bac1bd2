import type { DefinedKind } from "@trivium/kube";
import type { AnyAdmission } from "./admission.ts";
import type { AnyReconciler } from "./shape.ts";

/** One upstream API: its kinds, the reconcilers of them, and what is said of objects before they are stored. */
export interface Dialect {
  readonly name: string;
  readonly group: string;
  readonly kinds: readonly DefinedKind[];
  readonly reconcilers: readonly AnyReconciler[];
  readonly admissions?: readonly AnyAdmission[];
}
