import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { httpTransport, loadKubeconfig } from "@trivium/client";
import type { RunRecord } from "@trivium/local";
import { ensureBuilt, programFlags } from "../../../../scripts/toolchain.mjs";

const run = promisify(execFile);
const patienceAtTheEnd = 90_000;

/** The program as a person has it, on a home of its own. It can be killed and started again. */
export class Machine {
  #home: string | undefined;
  #child: ChildProcess | undefined;
  #ended: Promise<number | string> = Promise.resolve(0);
  #reported = "";
  #ports = { api: 0, gateway: 0 };

  /** Made when it is first asked for: a test that is skipped leaves no folder behind. */
  get home(): string {
    this.#home ??= mkdtempSync(join(tmpdir(), "trivium-serving-"));
    return this.#home;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get gateway(): string {
    return `http://127.0.0.1:${this.#ports.gateway}`;
  }

  /** Everything printed by the last start. */
  get reported(): string {
    return this.#reported;
  }

  /** Resolves when it says that it is ready. The ports are any the first time, and the same ever after. */
  async up(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    const { api, gateway } = this.#ports;
    const place = ["--home", this.home, "--port", String(api), "--gateway-port", String(gateway), "--no-demo"];
    const child = spawn(process.execPath, [...programFlags, ensureBuilt(), "up", ...place], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...environment },
    });
    this.#child = child;
    this.#reported = "";
    this.#ended = new Promise((resolve) => child.once("close", (code, signal) => resolve(code ?? signal ?? "unknown")));
    await new Promise<void>((resolve, reject) => {
      const hear = (text: string): void => {
        this.#reported += text;
        if (/^ready$/m.test(this.#reported)) resolve();
      };
      child.stdout.setEncoding("utf8").on("data", hear);
      child.stderr.setEncoding("utf8").on("data", hear);
      void this.#ended.then((how) => reject(new Error(`ended with ${how} before it was ready: ${this.#reported}`)));
    });
    this.#ports = this.record().ports;
  }

  record(): RunRecord {
    return JSON.parse(readFileSync(join(this.home, "run.json"), "utf8")) as RunRecord;
  }

  /** Ctrl-C, or worse. */
  async end(signal: "SIGINT" | "SIGKILL"): Promise<number | string> {
    const child = this.#child;
    child?.kill(signal);
    // Who cannot end holds the terminal of a person.
    const late = setTimeout(() => child?.kill("SIGABRT"), patienceAtTheEnd);
    return await this.#ended.finally(() => clearTimeout(late));
  }

  /** What kubectl prints; its failure is thrown with what it said. */
  async kubectl(...args: string[]): Promise<string> {
    const { stdout } = await run("kubectl", args, { env: this.#environment, timeout: 180_000 });
    return stdout;
  }

  async apply(manifest: string): Promise<void> {
    const applying = run("kubectl", ["apply", "-f", "-"], { env: this.#environment, timeout: 180_000 });
    applying.child.stdin?.end(manifest);
    await applying;
  }

  /** A kubectl that goes on until it is ended. */
  follow(...args: string[]): ChildProcess {
    return spawn("kubectl", args, { env: this.#environment, stdio: ["ignore", "pipe", "ignore"] });
  }

  /**
   * What the API answers for a path, such as `/api/v1/nodes` or `/apis/apps/v1/namespaces/default/deployments/chat`. Waiting for a state
   * reads it many times, and a kubectl process costs a tenth of a second of a processor each time.
   */
  async get<T>(path: string): Promise<T> {
    const transport = httpTransport(await loadKubeconfig(join(this.home, "kubeconfig")));
    try {
      const { status, body } = await transport({ method: "GET", path, headers: { accept: "application/json" } });
      if (typeof body !== "string" || status !== 200) throw new Error(`GET ${path}: ${status} ${String(body)}`);
      return JSON.parse(body) as T;
    } finally {
      await transport.close();
    }
  }

  /** The value of a figure of the gateway; zero when there is none yet. */
  async figure(line: string): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${this.record().ports.metrics}/metrics`)).text();
    const found = text.split("\n").find((candidate) => candidate.startsWith(`${line} `));
    return Number(found?.split(" ").at(-1) ?? 0);
  }

  get #environment(): NodeJS.ProcessEnv {
    // Each kubectl ends before its garbage matters, and has no work for a second processor.
    return { ...process.env, KUBECONFIG: join(this.home, "kubeconfig"), GOGC: "off", GOMAXPROCS: "1" };
  }

  /** Ends whatever there is of it, also when a test has failed, and takes the home away. */
  async remove(): Promise<void> {
    await this.end("SIGINT");
    for (const { pid } of processesOf(this.home)) process.kill(pid, "SIGKILL");
    rmSync(this.home, { recursive: true, force: true, maxRetries: 3 });
  }
}

export interface ObservedProcess {
  readonly pid: number;
  readonly command: string;
}

/** Every process that names this home in its command, or works in it. */
export function processesOf(home: string): ObservedProcess[] {
  return readdirSync("/proc").flatMap((entry) => {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) return [];
    try {
      const command = readFileSync(`/proc/${entry}/cmdline`, "latin1").replaceAll("\0", " ").trim();
      const environment = readFileSync(`/proc/${entry}/environ`, "latin1");
      return command.includes(home) || environment.includes(home) ? [{ pid, command }] : [];
    } catch {
      return [];
    }
  });
}

/** Why there is no real kubectl to try it with; nothing when there is one. */
export async function missingKubectl(): Promise<string | undefined> {
  return await run("kubectl", ["version", "--client"]).then(
    () => undefined,
    () => "skipped: there is no kubectl on PATH",
  );
}

/** Waits until something is true; what was seen last is told when it takes too long. */
export async function until<T>(
  what: string,
  check: () => Promise<T | undefined | false>,
  patience = 120_000,
): Promise<T> {
  const deadline = Date.now() + patience;
  for (;;) {
    const found = await check();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`not in ${patience / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
