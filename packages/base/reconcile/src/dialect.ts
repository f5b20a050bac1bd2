import type { DefinedKind } from "@trivium/kube";
import type { AnyReconciler } from "./shape.ts";

/** One upstream API: its kinds and the reconcilers of them. */
export interface Dialect {
  readonly name: string;
  readonly group: string;
  readonly kinds: readonly DefinedKind[];
  readonly reconcilers: readonly AnyReconciler[];
}
