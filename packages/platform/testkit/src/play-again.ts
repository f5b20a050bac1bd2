import { spawn } from "node:child_process";

export interface Played {
  readonly code: number | null;
  readonly output: string;
  /** It ended well, ran at least one test and skipped none. */
  readonly isPassed: boolean;
}

export interface PlayOptions {
  /** The command that the test process becomes an argument of: one that changes rights, network or mounts. */
  readonly through: (command: readonly string[]) => readonly string[];
  /** Only tests of this name. */
  readonly name?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs a test file again, in a process that has other rights or another network than this one. */
export async function playAgain(file: string, { through, name, environment }: PlayOptions): Promise<Played> {
  const picked = name === undefined ? [] : [`--test-name-pattern=^${name}$`];
  const { code, output } = await runThrough(
    through([process.execPath, "--test", "--test-reporter=tap", ...picked, file]),
    environment,
  );
  const isPassed = code === 0 && /^# pass [1-9]/m.test(output) && /^# skipped 0$/m.test(output);
  return { code, output, isPassed };
}

/** What a command printed and how it ended. It does not count as a part of the test that runs it. */
export function runThrough(
  [program = "", ...args]: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Omit<Played, "isPassed">> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(program, args, { env: { ...env, ...environment }, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  return new Promise((resolve, reject) => {
    child.once("error", reject).once("close", (code) => resolve({ code, output }));
  });
}
