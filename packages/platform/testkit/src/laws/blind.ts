import { pending, unreachable } from "@trivium/std";
import type { Law } from "./law.ts";
import { childName, isFact, variants } from "./shape.ts";

/** When a fact goes dark nothing is removed: the decision holds, or keeps every child that it wanted while it could see. */
export const blind: Law = ({ case: { observed }, decide }) => {
  const wanted = decide();
  const faults: string[] = [];
  const darken = (part: unknown) =>
    isFact(part) ? [pending, unreachable("no answer")].filter(({ is }) => is !== part.is) : [];
  for (const { path, value } of variants(observed, darken)) {
    const decision = decide({ observed: value });
    const fact = `${path} ${unresolvedOf(value, path)}`;
    if (decision.do === "hold") continue;
    if (decision.do === "release") {
      if (wanted.do !== "release") faults.push(`${fact}: releases the object`);
      continue;
    }
    const kept = new Set(decision.children.map(childName));
    const lost = wanted.do === "converge" ? wanted.children.map(childName).filter((name) => !kept.has(name)) : [];
    if (lost.length > 0) faults.push(`${fact}: drops ${lost.join(", ")}`);
    // What was not to be touched while all was known must not be pruned because less is known.
    if (wanted.do === "hold") faults.push(`${fact}: converges where it held while it could see`);
  }
  return faults;
};

function unresolvedOf(observed: unknown, path: string): string {
  const steps = path.split(/[.[\]]+/).filter((step) => step !== "");
  const part = steps.reduce<unknown>((value, step) => (value as Record<string, unknown>)?.[step], observed);
  return (part as { is?: string })?.is ?? "dark";
}
