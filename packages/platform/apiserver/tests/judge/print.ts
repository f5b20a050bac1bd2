import type { Json } from "@trivium/std";
import type { Difference } from "./compare.ts";
import type { Sequence, Step } from "./sequence.ts";

/** What a person reads when the servers disagree: the step, and both words at each place. */
export function printDifferences(sequence: Sequence, differences: readonly Difference[]): string {
  const lines = [sequence.name];
  let last = 0;
  for (const { step, at, real, embedded } of differences) {
    if (step !== last) lines.push(`  step ${step}: ${printStep(sequence.steps[step - 1] as Step)}`);
    last = step;
    const same = sharedStart(real, embedded);
    lines.push(`    ${at}`, `      real      ${short(real, same)}`, `      embedded  ${short(embedded, same)}`);
  }
  return lines.join("\n");
}

function printStep(step: Step): string {
  if (step.is === "collect") return `collect ${step.watch}`;
  return `${step.method} ${step.path}${step.body === undefined ? "" : ` ${short(step.body)}`}`;
}

/** A sequence as the text of the source that makes it. */
export function printSequence(sequence: Sequence): string {
  const steps = sequence.steps.map((step) => `  ${JSON.stringify(step)},`);
  return `sequence(${JSON.stringify(sequence.name)},\n${steps.join("\n")}\n)`;
}

/** How far two long texts agree, less a few words of context. */
function sharedStart(a: Json | undefined, b: Json | undefined): number {
  if (typeof a !== "string" || typeof b !== "string") return 0;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return Math.max(0, at - 40);
}

const longest = 600;

function short(value: Json | undefined, from = 0): string {
  if (value === undefined) return "(nothing)";
  const text = JSON.stringify(typeof value === "string" && from > 0 ? `…${value.slice(from)}` : value);
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;
}
