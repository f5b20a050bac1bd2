import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

const program = new URL("../../../local/src/node-agent/main.ts", import.meta.url).pathname;

export interface AgentOptions {
  readonly kubeconfig: string;
  readonly node: string;
  readonly root: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The agent of a node as a process of its own, as a DaemonSet runs it. */
export class AgentProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly lines: { readonly msg?: string; readonly problem?: string; readonly health?: string }[] = [];
  readonly running: Promise<void>;
  errors = "";

  constructor({ kubeconfig, node, root, flags = [], env = {} }: AgentOptions) {
    const args = ["--kubeconfig", kubeconfig, "--node-name", node, "--models-root", root, "--health-port", "0"];
    const child = spawn(process.execPath, [program, ...args, ...flags], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env },
    });
    this.#child = child;
    this.#ended = once(child, "exit");
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.running = promise;
    createInterface({ input: child.stdout }).on("line", (line) => {
      this.lines.push(JSON.parse(line));
      if (this.lines.at(-1)?.msg === "running") resolve();
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.errors += text;
    });
    void this.#ended.then(() => reject(new Error(`the agent ended before it ran: ${this.errors}`)));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Where health and metrics are. */
  get health(): string {
    return this.lines.find(({ msg }) => msg === "running")?.health ?? "";
  }

  /** Resolves with the exit code, or the name of the signal that ended it. */
  async end(signal: NodeJS.Signals): Promise<number | string> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill(signal);
      await this.#ended;
    }
    return this.#child.exitCode ?? this.#child.signalCode ?? "unknown";
  }
}
