import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  builtInResources,
  createApi,
  loadOrCreateIdentity,
  openMemoryStore,
  serveHttps,
  writeKubeconfig,
} from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import type { KubeClient } from "@trivium/kube";
import { build } from "esbuild";
import { type Answer, addService, completes, type ModelServer, startModel } from "./fixture.ts";

/** The program as it is shipped, for a cluster that is another server. */
export interface ProgramFixture {
  readonly home: string;
  readonly kubeconfig: string;
  readonly client: KubeClient;
  /** Serves `demo`. */
  readonly model: ModelServer;
  start(args: readonly string[], env?: Record<string, string>): Program;
  close(): Promise<void>;
}

export interface Program {
  readonly child: ChildProcess;
  readonly output: { text: string };
  readonly ended: Promise<number | null>;
}

export async function startProgramFixture(answer: Answer = completes): Promise<ProgramFixture> {
  const home = await mkdtemp(join(tmpdir(), "trivium-gateway-"));
  const bundle = join(home, "gateway.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "../src/main.ts")],
    outfile: bundle,
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: "error",
  });
  const api = createApi({ store: openMemoryStore(), resources: builtInResources({ loopbackEndpoints: "allowed" }) });
  const identity = await loadOrCreateIdentity(join(home, "identity"));
  const server = await serveHttps(api, { identity });
  const credential = { is: "certificate", pair: identity.admin } as const;
  const kubeconfig = join(home, "config");
  await writeKubeconfig(kubeconfig, { server: server.url, authority: identity.authority, credential });
  const model = await startModel(answer);
  const client = createClient(api.transport({ user: "test", groups: ["system:masters"] }));
  await addService(client, "demo", [model.port]);
  return {
    home,
    kubeconfig,
    client,
    model,
    start: (args, env = {}) => start([bundle, ...args], env),
    async close() {
      await model.close();
      await server.close();
      await api.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

function start(args: readonly string[], env: Record<string, string>): Program {
  const child: ChildProcess = spawn(process.execPath, [...args], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const output = { text: "" };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (piece: Buffer) => {
      output.text += piece.toString();
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, output, ended };
}
