import { onInterrupt } from "../interrupt.ts";
import { isQuiet } from "../quiet.ts";

/** A program of its own, under our name: it reads its words itself. */
export type Part = (args: readonly string[], host: PartHost) => Promise<number>;

interface PartHost {
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly out: NodeJS.WriteStream;
  readonly err: NodeJS.WriteStream;
  readonly isQuiet: boolean;
  /** What an error begins with. */
  readonly errorPrefix: string;
}

export async function runPart(run: Part, words: readonly string[]): Promise<void> {
  const stop = new AbortController();
  onInterrupt(() => stop.abort());
  const { env: environment, stdout: out, stderr: err } = process;
  const host = { environment, signal: stop.signal, out, err, isQuiet: isQuiet(), errorPrefix: "error" };
  process.exitCode = await run(words, host);
}
