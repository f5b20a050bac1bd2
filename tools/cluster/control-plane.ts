import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A real control plane with controllers and scheduler, for one test file. */
export interface ControlPlane {
  readonly kubeconfig: string;
  readonly kubelet: {
    readonly certificate: { readonly cert: string; readonly key: string };
    readonly clientAuthority: string;
  };
  /** Standard output of kubectl; throws with what it said when it fails. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  stop(): Promise<void>;
}

type Answer =
  | { readonly is: "impossible"; readonly why: string }
  | ({ readonly is: "ready"; readonly kubectl: string } & Pick<ControlPlane, "kubeconfig" | "kubelet">);

/** Starts one (or takes the one that was given, see `run.ts`), or says why this machine cannot have one. */
export async function startControlPlane(): Promise<ControlPlane | string> {
  const folder = await mkdtemp(join(tmpdir(), "trivium-nodes-"));
  const child = spawn(process.execPath, [join(import.meta.dirname, "run.ts"), folder], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const stop = async (): Promise<void> => {
    child.stdin.end();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  let answer: Answer | undefined;
  for await (const line of createInterface(child.stdout)) {
    answer = JSON.parse(line) as Answer;
    break;
  }
  if (answer?.is !== "ready") {
    await stop();
    return answer?.why ?? "the control plane did not start";
  }
  const { kubeconfig, kubelet, kubectl } = answer;
  return {
    kubeconfig,
    kubelet,
    stop,
    kubectl: async (args, input) => {
      for (let attempt = 1; ; attempt += 1) {
        const { stdout, stderr, error } = await runOnce(kubectl, args, { kubeconfig, input });
        if (error === null) return stdout;
        // kubectl waits 10 s for a handshake, too short on a busy machine. Nothing was sent yet, so any command can be repeated.
        if (attempt < 6 && /TLS handshake timeout/.test(stderr)) continue;
        throw new Error(`kubectl ${args.join(" ")}: ${stderr || error.message}`);
      }
    },
  };
}

interface Run {
  readonly stdout: string;
  readonly stderr: string;
  readonly error: Error | null;
}

function runOnce(
  kubectl: string,
  args: readonly string[],
  { kubeconfig, input = "" }: { readonly kubeconfig: string; readonly input?: string | undefined },
): Promise<Run> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, KUBECONFIG: kubeconfig }, timeout: 240_000 };
    const run = execFile(kubectl, args, options, (error, stdout, stderr) => resolve({ stdout, stderr, error }));
    run.stdin?.end(input);
  });
}
