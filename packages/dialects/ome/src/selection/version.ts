import { compareBuilds, isRelease, parseVersion } from "@trivium/engines";

export type VersionOperator = "Equal" | "GreaterThan" | "GreaterThanOrEqual";

/**
 * Whether a runtime's version supports a model's. What is not a release is supported only by an equal version. An order needs both to be
 * written alike: the same precision, and the prefix on both or on neither.
 */
export function takesVersion(runtime: string, model: string, operator: VersionOperator = "Equal"): boolean {
  const [ours, theirs] = [parseVersion(runtime), parseVersion(model)];
  if (ours === undefined || theirs === undefined) return false;
  const order = compareBuilds(ours, theirs);
  if (operator === "Equal" || !isRelease(ours) || !isRelease(theirs)) return order === 0;
  if (ours.precision !== theirs.precision || ours.hasPrefix !== theirs.hasPrefix) return false;
  return operator === "GreaterThan" ? order > 0 : order >= 0;
}
