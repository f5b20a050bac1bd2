import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, httpTransport, loadKubeconfig } from "@trivium/client";
import type { KubeClient } from "@trivium/kube";
import type { RunRecord } from "@trivium/local";
import { ownProgram } from "@trivium/testkit";

const [node = "", main = ""] = ownProgram("trivium", new URL("../src/main.ts", import.meta.url));

/** A `trivium` process of a test, from its start to its end. */
export interface Running {
  readonly process: ChildProcess;
  /** Everything printed so far. */
  output(): string;
  errors(): string;
  /** Resolves with the exit code, or the name of the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** Resolves when the line `ready` was printed; rejects when the process ends before. */
  ready(): Promise<void>;
}

const started: ChildProcess[] = [];

/** Ends whatever a failed test has left behind, so that the run itself ends. */
export function stopAll(): void {
  for (const child of started) child.kill("SIGKILL");
}

export function trivium(args: readonly string[], env: Record<string, string> = {}): Running {
  return follow(spawn(node, [main, ...args], { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } }));
}

/** As a shell starts it: the leader of a group, which a terminal sends its signals to. */
export const triviumInGroup = (args: readonly string[]): Running =>
  follow(spawn(node, [main, ...args], { stdio: ["ignore", "pipe", "pipe"], detached: true }));

function follow(child: ChildProcess): Running {
  started.push(child);
  let output = "";
  let errors = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const ended = new Promise<number | string>((resolve) => {
    child.on("close", (code, signal) => resolve(code ?? signal ?? "unknown"));
  });
  const ready = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const reader = (): void => {
        if (/^ready$/m.test(output)) resolve();
      };
      child.stdout?.on("data", reader);
      void ended.then((how) => reject(new Error(`ended with ${how} before it was ready: ${errors}`)));
      reader();
    });
  return { process: child, output: () => output, errors: () => errors, ended, ready };
}

/** A folder that is gone after the test. */
export function temporaryHome(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "trivium-home-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export function readRunRecord(home: string): RunRecord {
  return JSON.parse(readFileSync(join(home, "run.json"), "utf8")) as RunRecord;
}

export async function clientOf(home: string): Promise<KubeClient> {
  return createClient(httpTransport(await loadKubeconfig(join(home, "kubeconfig"))));
}

/** The status code of a call without credentials. */
export function statusOf(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { rejectUnauthorized: false, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    }).on("error", reject);
  });
}
