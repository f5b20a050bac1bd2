import type { Kind } from "@trivium/kube";
import type { AnyReconciler } from "@trivium/reconcile";
import { followedKinds } from "./looked-up.ts";

/**
 * An API server loads a custom definition when its objects are first listed, one after the other. So those come first that fewest such definitions
 * keep waiting: they begin while the others are loaded.
 */
export function inOrderOfStart(reconcilers: readonly AnyReconciler[]): readonly AnyReconciler[] {
  const counted = reconcilers.map((reconciler) => ({ reconciler, count: countCustom(followedKinds([reconciler])) }));
  return counted.sort((a, b) => a.count - b.count).map(({ reconciler }) => reconciler);
}

const countCustom = (kinds: readonly Kind[]): number =>
  new Set(kinds.filter(isCustom).map(({ group, plural }) => `${plural}.${group}`)).size;

/** Groups of Kubernetes itself. It is the order alone that hangs on it. */
const isCustom = ({ group }: Kind): boolean => group.includes(".") && !group.endsWith(".k8s.io");
