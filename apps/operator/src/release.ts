import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { OperatorOptions } from "./options/options.ts";
import { version } from "./version.ts";

/**
 * Names what renders pods: this program and the options that shape them. Replicas of one installation have the same name; an upgrade or
 * other options have another one, by which pods of the release before are known and kept.
 */
export function releaseOf(
  { aim, ome, llmkube }: Pick<OperatorOptions, "aim" | "ome" | "llmkube">,
  program: string = process.argv[1] ?? "",
): string {
  const digest = createHash("sha256").update(JSON.stringify([aim, ome, llmkube]));
  digest.update(readFileSync(program));
  return `${version}-${digest.digest("hex").slice(0, 12)}`;
}
