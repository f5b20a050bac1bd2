import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Context {
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
  readonly namespace: string;
  readonly stdin?: string;
}

/** How often kubectl was called, over all scenarios. */
export const calls = { count: 0 };

/**
 * kubectl as a tagged template: words are arguments, and each value is one argument whatever it holds. In words, `$ns` is
 * the namespace of the scenario, which is also the one that is used when none is said.
 */
export class Kubectl {
  readonly #in: Context;

  constructor(context: Context) {
    this.#in = context;
  }

  get namespace(): string {
    return this.#in.namespace;
  }

  /** What kubectl prints; a failure of kubectl is a failure of the test. */
  ok = async (words: TemplateStringsArray, ...values: string[]): Promise<string> => {
    const outcome = await this.both(words, ...values);
    return outcome.stdout;
  };

  /** Both outputs of a call that must succeed: warnings come on the second. */
  both = async (words: TemplateStringsArray, ...values: string[]): Promise<Outcome> => {
    const args = argumentsOf(words, values);
    const outcome = await this.#run(args);
    assert.equal(outcome.code, 0, `kubectl ${args.join(" ")}\n${outcome.stdout}${outcome.stderr}`);
    return outcome;
  };

  /** What kubectl complains about; a success is a failure of the test. */
  fails = async (words: TemplateStringsArray, ...values: string[]): Promise<string> => {
    const outcome = await this.outcome(words, ...values);
    assert.notEqual(outcome.code, 0, `kubectl ${argumentsOf(words, values).join(" ")}\n${outcome.stdout}`);
    return outcome.stderr;
  };

  outcome = (words: TemplateStringsArray, ...values: string[]): Promise<Outcome> =>
    this.#run(argumentsOf(words, values));

  /** The same with something on standard input. */
  given(stdin: string): Kubectl {
    return new Kubectl({ ...this.#in, stdin });
  }

  withEnv(env: NodeJS.ProcessEnv): Kubectl {
    return new Kubectl({ ...this.#in, env: { ...this.#in.env, ...env } });
  }

  /** A call that goes on, such as `get -w`. The caller stops it. */
  start = (words: TemplateStringsArray, ...values: string[]): Running =>
    new Running(this.#spawn(argumentsOf(words, values)));

  #spawn(args: string[]): ChildProcessWithoutNullStreams {
    calls.count++;
    const { path, env, namespace } = this.#in;
    return spawn(path, args.includes("--raw") ? args : ["--namespace", namespace, ...args], { env });
  }

  #run(args: string[]): Promise<Outcome> {
    const child = this.#spawn(args);
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    child.stdin.on("error", () => {});
    child.stdin.end(this.#in.stdin ?? "");
    const timer = setTimeout(() => child.kill("SIGKILL"), 180_000);
    return new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code, signal) => {
        clearTimeout(timer);
        const stderr = Buffer.concat(err).toString("utf8") + (signal === null ? "" : `\nended by ${signal}`);
        // kubectl 1.34 and newer say where they deleted; the scenarios are about older ones too.
        const stdout = Buffer.concat(out)
          .toString("utf8")
          .replace(/ deleted from \S+ namespace/g, " deleted");
        resolve({ code: code ?? -1, stdout, stderr });
      });
    });
  }
}

/** A kubectl that goes on until it is stopped. */
export class Running {
  readonly #child: ChildProcessWithoutNullStreams;
  #output = "";
  #closed = false;
  #wake: () => void = () => {};

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    const note = (chunk: Buffer) => {
      this.#output += chunk.toString("utf8");
      this.#wake();
    };
    child.stdout.on("data", note);
    child.stderr.on("data", note);
    child.on("close", () => {
      this.#closed = true;
      this.#wake();
    });
  }

  get output(): string {
    return this.#output;
  }

  /** Waits until the output matches; fails when kubectl ends before or two minutes have passed. */
  async until(pattern: RegExp): Promise<void> {
    const deadline = Date.now() + 120_000;
    while (!pattern.test(this.#output)) {
      assert.ok(!this.#closed, `kubectl ended without ${pattern}:\n${this.#output}`);
      assert.ok(Date.now() < deadline, `kubectl did not print ${pattern}:\n${this.#output}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, 500).unref();
      });
    }
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    while (!this.#closed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

function argumentsOf(words: TemplateStringsArray, values: readonly string[]): string[] {
  const args: string[] = [];
  let isOpen = false;
  words.forEach((text, at) => {
    const pieces = text.split(/\s+/);
    pieces.forEach((piece, index) => {
      if (index > 0) isOpen = false;
      if (piece === "") return;
      if (isOpen) args.push(`${args.pop()}${piece}`);
      else args.push(piece);
      isOpen = true;
    });
    if (at >= values.length) return;
    // A value glued to a word (`--patch=${json}`) is part of that argument.
    if (isOpen) args.push(`${args.pop()}${values[at]}`);
    else args.push(values[at] as string);
    isOpen = true;
  });
  return args;
}
