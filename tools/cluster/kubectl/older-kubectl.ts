import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FoundKubectl } from "../../../packages/platform/node/tests/find-kubectls.ts";
import { ensurePrograms, outputOf } from "../build.ts";

const module = import.meta.dirname;
const [, minor = "", patch = ""] =
  /k8s\.io\/kubectl v0\.(\d+)\.(\d+)/.exec(readFileSync(join(module, "go.mod"), "utf8")) ?? [];

/** The oldest kubectl that is supported, built first if this machine has not built it before. */
export function ensureOlderKubectl(print: (line: string) => void): FoundKubectl {
  const folder = ensurePrograms(
    {
      module,
      output: outputOf("kubectl", module),
      about: `kubectl 1.${minor} once, about 3 minutes of one core`,
      programs: { kubectl: "." },
      version: `v1.${minor}.${patch}`,
    },
    print,
  );
  return { version: `1.${minor}`, path: join(folder, "kubectl") };
}
