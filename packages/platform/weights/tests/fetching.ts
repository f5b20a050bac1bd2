// One run of `trivium-weights fetch` in this process.
import { constants } from "node:fs";
import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { runProgram } from "../src/program/program.ts";

export const demo = join(import.meta.dirname, "../../../../examples/models/demo/demo.gguf");

export interface Ended {
  readonly code: number;
  readonly how: string | undefined;
  readonly err: string;
}

export async function fetchModel(
  uri: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Ended> {
  const reported = { out: "", err: "" };
  const stream = (name: "out" | "err") => ({
    write: (text: string) => {
      reported[name] += text;
    },
  });
  const code = await runProgram(["fetch", uri, "--json", "--attempts", "1", ...args], {
    environment: { HOME: "/nonexistent", ...environment },
    signal: new AbortController().signal,
    out: stream("out"),
    err: stream("err"),
  });
  return { code, how: code === 0 ? JSON.parse(reported.out).how : undefined, err: reported.err };
}

/** Whether the disk under a folder has clones: files of their own that share the space. */
export async function canClone(dir: string): Promise<boolean> {
  const [from, to] = [join(dir, "clone-from"), join(dir, "clone-to")];
  await copyFile(demo, from);
  const isCloned = await copyFile(from, to, constants.COPYFILE_FICLONE_FORCE).then(
    () => true,
    () => false,
  );
  for (const path of [from, to]) await rm(path, { force: true });
  return isCloned;
}
