import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import {
  loadOrCreateIdentity,
  type RunningServer,
  type ServerIdentity,
  serveHttps,
  writeKubeconfig,
} from "@trivium/apiserver";
import type { api, Pod, PodSpec } from "@trivium/kube";
import { type ProcessStage, shell, startProcessStage } from "./process-stage.ts";

/** A node that kubectl reaches: ours, or a real one. */
export interface StreamingNode {
  readonly kubeconfig: string;
  readonly root: string;
  /** An image with a shell. */
  readonly image: string;
  /** A kubelet leaves the processes of an exec behind whose client has gone. */
  readonly endsOrphans: boolean;
  /** Where pods are placed that no scheduler places. */
  readonly nodeName: string | undefined;
  shell(name: string, script: string): api.Container;
  /** Answers every path with "hello from the pod", and prints "listening". */
  web(port: number): api.Container;
  create(name: string, script: string, spec?: Partial<PodSpec>): Promise<unknown>;
  until(name: string, holds: (pod: Pod) => boolean): Promise<Pod>;
}

/** A node that runs processes, reached over HTTPS. */
export interface StreamingStage extends Omit<ProcessStage, "create">, StreamingNode {
  readonly server: RunningServer;
  readonly identity: ServerIdentity;
}

const page = `require("node:http").createServer((_, answer) => answer.end("hello from the pod")).listen(Number(process.argv[1]), "127.0.0.1", () => console.log("listening"))`;

export async function startStreamingStage(test: TestContext): Promise<StreamingStage> {
  const stage = await startProcessStage(test);
  const identity = await loadOrCreateIdentity(join(stage.root, "identity"));
  const server = await serveHttps(stage.api, { identity, tokens: stage.api.tokenOwner });
  test.after(() => server.close());
  const kubeconfig = join(stage.root, "kubeconfig");
  const credential = { is: "certificate", pair: identity.admin } as const;
  await writeKubeconfig(kubeconfig, { server: server.url, authority: identity.authority, credential });
  await stage.agent();
  const web = (port: number): api.Container => ({
    name: "web",
    image: "node",
    command: [process.execPath, "-e", page, String(port)],
  });
  return { ...stage, server, identity, kubeconfig, image: "shell", endsOrphans: true, nodeName: "node-a", shell, web };
}

export interface Ran {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface Kubectl {
  run(args: readonly string[], input?: string | Buffer): Promise<Ran>;
  /** Starts it and returns: the caller stops it. */
  start(args: readonly string[]): ChildProcess;
  /** Runs it in a terminal of this size; `say` is called with what was printed so far, and answers with what to type. */
  inTerminal(args: readonly string[], size: string, say: (text: string) => string | undefined): Promise<Ran>;
}

export const hasTerminals = existsSync("/usr/bin/script");

export function kubectlOf(path: string, { kubeconfig, root }: Pick<StreamingNode, "kubeconfig" | "root">): Kubectl {
  const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: root };
  return {
    run: (args, input) => finish(spawn(path, args, { env }), input),
    start: (args) => spawn(path, args, { env }),
    inTerminal(args, size, say) {
      const line = [path, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
      const child = spawn("/usr/bin/script", ["-qefc", `stty ${size}; exec ${line}`, "/dev/null"], { env });
      let text = "";
      child.stdout.on("data", (piece: Buffer) => {
        text += piece.toString("utf8");
        const answer = say(text);
        if (answer === undefined) return;
        text = "";
        child.stdin.write(answer);
      });
      return finish(child);
    },
  };
}

function finish(child: ChildProcess, input?: string | Buffer): Promise<Ran> {
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  child.stdout?.on("data", (piece: Buffer) => stdout.push(piece));
  child.stderr?.on("data", (piece: Buffer) => stderr.push(piece));
  child.stdin?.on("error", () => undefined);
  if (input !== undefined) child.stdin?.end(input);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) =>
      resolve({ code, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString("utf8") }),
    );
  });
}

export const digest = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
