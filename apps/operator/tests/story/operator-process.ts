import { type ChildProcess, spawn } from "node:child_process";

/** An operator of a test, from its start to its end. */
export interface OperatorProcess {
  readonly pid: number;
  /** The lines of its log so far. */
  lines(): LogLine[];
  output(): string;
  errors(): string;
  /** Resolves when it runs; rejects when it ends before. */
  ready(): Promise<void>;
  /** Closes our end of what it prints to. */
  stopReading(): void;
  /** Sends a signal and resolves with the exit code, or the name of the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | string>;
  readonly ended: Promise<number | string>;
  /** Where health and metrics are served. */
  address(): string;
}

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

export const sampleOperator = new URL("./sample-operator.ts", import.meta.url).pathname;
export const shippedOperator = new URL("../../src/main.ts", import.meta.url).pathname;

const started: ChildProcess[] = [];

/** Ends whatever a failed test has left behind, so that the run itself ends. */
export function killLeftovers(): void {
  for (const child of started.splice(0)) child.kill("SIGKILL");
}

export function startOperatorProcess(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): OperatorProcess {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"], env });
  started.push(child);
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const ended = new Promise<number | string>((resolve) => {
    child.on("close", (code, signal) => resolve(code ?? signal ?? "unknown"));
  });
  const lines = (): LogLine[] => output.split("\n").slice(0, -1).map(parseLine);
  const find = (start: string): LogLine | undefined => lines().find(({ msg }) => msg.startsWith(start));
  return {
    pid: child.pid ?? 0,
    lines,
    output: () => output,
    errors: () => errors,
    ended,
    ready: () =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (find("running ") !== undefined) resolve();
        };
        child.stdout.on("data", check);
        void ended.then((how) => reject(new Error(`ended with ${how} before it was ready: ${errors}${output}`)));
        check();
      }),
    stopReading() {
      child.stdout.destroy();
      child.stderr.destroy();
    },
    end(signal) {
      child.kill(signal);
      return ended;
    },
    address: () => String(find("serving health and metrics")?.address),
  };
}

function parseLine(line: string): LogLine {
  return JSON.parse(line) as LogLine;
}
