import type { AnyReconciler } from "./shape.ts";

/** The operator that an API comes from, by the traces it leaves in a cluster. */
export interface UpstreamOperator {
  /** As people call it. */
  readonly name: string;
  /** Its field managers. `manager` is the name of the program in most operators, so it alone proves nothing. */
  readonly managers: readonly string[];
  /** Namespaces that it is installed in by default. A Lease elsewhere proves nothing: every user can create one in his own. */
  readonly namespaces: readonly string[];
  /** Names of the Leases that its leader holds. */
  readonly leases: readonly string[];
  /** Finalizers that only it takes off; those that we use ourselves are not among them. */
  readonly finalizers: readonly string[];
}

/** Reconcilers of a group whose objects may come from an upstream operator: what it has made is taken over, not overwritten. */
export const ofUpstream = (
  upstream: UpstreamOperator,
  group: string,
  reconcilers: readonly AnyReconciler[],
): readonly AnyReconciler[] =>
  reconcilers.map((reconciler) => (reconciler.kind.group === group ? { ...reconciler, upstream } : reconciler));
