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
  const reported = { out: "", err: "" };
  const stream = (name: "out" | "err") => ({
    write: (text: string) => {
      reported[name] += text;
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
  const line = (code === 0 ? reported.out : reported.err).trim().split("\n").at(-1) ?? "{}";
  return { code, ...reported, last: line.startsWith("{") ? (JSON.parse(line) as Record<string, unknown>) : {} };
}
