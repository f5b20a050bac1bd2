import type { DefinedKind } from "@trivium/kube";
import type { AnyAdmission } from "./admission.ts";
import type { AnyReconciler } from "./shape.ts";
import type { StatusGuide } from "./status-guide.ts";
import type { UpstreamOperator } from "./upstream.ts";

/** One upstream API: its kinds, the reconcilers of them, and what is said of objects before they are stored. */
export interface Dialect {
  readonly name: string;
  readonly group: string;
  readonly kinds: readonly DefinedKind[];
  /** Those with a namespace that limit users, also in other namespaces: users can read and not change them. */
  readonly limits?: readonly DefinedKind[];
  readonly reconcilers: readonly AnyReconciler[];
  /** The operator that its API comes from. */
  readonly upstream?: UpstreamOperator;
  readonly admissions?: readonly AnyAdmission[];
  /** How the status of its objects is read. */
  readonly statusGuide: StatusGuide;
}

/** Names out of a list such as `aim,ome`, in the order of `names`; or what is wrong with the list, in a sentence. */
export function parseDialectNames(text: string, names: readonly string[]): readonly string[] | string {
  const words = text.split(",").map((word) => word.trim());
  const unknown = words.find((word) => !names.includes(word));
  if (unknown !== undefined)
    return `"${unknown}" is not one of ${names.join(", ")}; use one or more, separated by commas`;
  return names.filter((name) => words.includes(name));
}
