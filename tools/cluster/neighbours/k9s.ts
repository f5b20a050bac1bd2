import { existsSync } from "node:fs";
import { join } from "node:path";
import { ensurePrograms, type GoPrograms, outputOf } from "../build.ts";

const module = join(import.meta.dirname, "k9s");
const program = "k9s";

/** The last line of versions without a scanner for images, whose hundreds of modules have nothing to do with a cluster. */
const programs: GoPrograms = {
  module,
  output: outputOf("k9s", module),
  about: "k9s once, about five minutes of one core",
  programs: { [program]: "github.com/derailed/k9s" },
};

/** The program, where this machine has built it: tests do not wait for that. */
export const findK9s = (): string | undefined =>
  existsSync(programs.output) ? join(programs.output, program) : undefined;

/** The program, built first if this machine has not built it before. */
export const ensureK9s = (print: (line: string) => void): string => join(ensurePrograms(programs, print), program);
