// The program inside this process, with the streams kept.
import { runProgram } from "../../src/program/program.ts";

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The last JSON line of standard output, or of standard error where it failed. */
  readonly last: Record<string, unknown>;
}

export async function runWeights(args: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
  const said = { out: "", err: "" };
  const stream = (name: "out" | "err") => ({
    write: (text: string) => {
      said[name] += text;
    },
  });
  const signal = new AbortController().signal;
  const env = { HOME: "/nonexistent", PATH: process.env.PATH ?? "", ...environment };
  const code = await runProgram([...args, "--json"], {
    environment: env,
    signal,
    out: stream("out"),
    err: stream("err"),
  });
  const line = (code === 0 ? said.out : said.err).trim().split("\n").at(-1) ?? "{}";
  return { code, ...said, last: line.startsWith("{") ? (JSON.parse(line) as Record<string, unknown>) : {} };
}
