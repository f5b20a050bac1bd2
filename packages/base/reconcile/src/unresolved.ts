import type { Fact } from "@trivium/std";

/** A fact that a decision can do without: while it is not known the decision goes on, and says so where it matters. */
export interface Tolerated<T> {
  readonly tolerated: Fact<T>;
}

export const tolerate = <T>(fact: Fact<T>): Tolerated<T> => ({ tolerated: fact });

/** Whether nothing can be said of it now: neither what it is nor that it is absent. */
export const isUnresolved = ({ is }: Fact<unknown>): boolean => is === "pending" || is === "unreachable";

/**
 * Whether any fact in the observed data is unresolved, however deep it lies. The one place that finds them: a fact that is added to the
 * observed data counts at once, unless it is stored through `tolerate`.
 */
export function hasUnresolved(observed: unknown): boolean {
  if (typeof observed !== "object" || observed === null) return false;
  if (Array.isArray(observed)) return observed.some(hasUnresolved);
  if (isUnresolvedFact(observed)) return true;
  // Every pass walks everything that was observed, so it creates no lists.
  for (const key in observed) {
    if (!skipped.has(key) && hasUnresolved((observed as Record<string, unknown>)[key])) return true;
  }
  return false;
}

/**
 * Parts of Kubernetes objects are what a user or a controller wrote: they are large, and no fact is in them. What is asked of a pod (its
 * log, its last event, what it lists) explains a pod that is known: a late answer makes an explanation late, and holds nothing.
 */
const skipped: ReadonlySet<string> = new Set(["tolerated", "metadata", "spec", "status", "pods"]);

/** By its whole form: `is: pending` with other fields is another union. */
function isUnresolvedFact(part: object): boolean {
  const { is, why } = part as { readonly is?: unknown; readonly why?: unknown };
  if (is !== "pending" && is !== "unreachable") return false;
  const fields = Object.keys(part).length;
  return is === "pending" ? fields === 1 : fields === 2 && typeof why === "string";
}
