import { parseDialectNames } from "@trivium/reconcile";

/** Every upstream API that is supported, apart from its code: options name them, and help needs nothing else. */
export const dialectNames = ["aim", "aim-eai", "ome", "llmkube"] as const;

/**
 * Those that are served unless others are chosen. The two groups of AIM have kinds of the same names, and kubectl reads a name without a
 * group as the newer one: both are served only where an option chooses that.
 */
export const defaultDialectNames: readonly string[] = dialectNames.filter((name) => name !== "aim-eai");

/** Why nothing acts on objects of an API, and what to do. */
export function describeUnmanaged(
  { name, group }: { readonly name: string; readonly group: string },
  run: readonly string[],
): string {
  const wanted = dialectNames.filter((one) => one === name || run.includes(one));
  return `Nothing acts on objects of ${group}, because the control plane runs only ${run.join(",")}; start trivium up with --dialects ${wanted.join(",")}`;
}

/** Names of dialects out of `aim,ome`, or a sentence about what is wrong with it. */
export const parseDialects = (text: string): readonly string[] | string => parseDialectNames(text, dialectNames);
