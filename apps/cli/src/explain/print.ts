import { explainSections, type Gathered } from "@trivium/explain";
import type { Instant } from "@trivium/std";
import { reader } from "./state.ts";

/** What is known, for a person to read, in a terminal. */
export function printExplanation(gathered: Gathered, now: Instant): string {
  const { headline, sections } = explainSections(gathered, reader, now);
  const lines = sections.flatMap(({ title, lines: own }) => ["", title, ...own.map((line) => `  ${line}`)]);
  return `${[headline, ...lines].join("\n")}\n`;
}
