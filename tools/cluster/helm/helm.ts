import { existsSync } from "node:fs";
import { join } from "node:path";
import { ensurePrograms, type GoPrograms, outputOf } from "../build.ts";

const programs: GoPrograms = {
  module: import.meta.dirname,
  output: outputOf("helm", import.meta.dirname),
  about: "Helm once, a few minutes of one core",
  programs: { helm: "helm.sh/helm/v3/cmd/helm" },
};

/** Whether this machine has built Helm: tests do not wait for that. */
export const isHelmBuilt = (): boolean => existsSync(programs.output);

/** The real Helm, built first if this machine has not built it before. */
export function ensureHelm(print: (line: string) => void): string {
  return join(ensurePrograms(programs, print), "helm");
}
