import type { Job } from "@trivium/kube";
import { parseIndexes } from "./index-set.ts";

/** Which rule makes the job a success before all indexes are done. */
export function successRuleOf({ spec }: Job, succeeded: ReadonlySet<number>): string | undefined {
  if (succeeded.size === 0) return undefined;
  const at = (spec?.successPolicy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && succeeded.size >= succeededCount;
    const wanted = parseIndexes(succeededIndexes, spec?.completions ?? 0);
    if (wanted.size === 0) return false;
    const found = [...wanted].filter((index) => succeeded.has(index)).length;
    return found === wanted.size || (succeededCount !== undefined && found >= succeededCount);
  });
  return at < 0 ? undefined : `Matched rules at index ${at}`;
}
