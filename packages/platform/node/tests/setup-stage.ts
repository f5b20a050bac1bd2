import { spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { builtInResources, createAccountTokens, createApi, openMemoryStore } from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import { type api, ConfigMap, type KubeClient, Pod, type PodSpec, Secret } from "@trivium/kube";
import { FakeClock } from "@trivium/testkit";
import { createSandboxSetup, type LocalSandboxSetup, type SandboxSetupOptions } from "../src/sandbox-setup/index.ts";
import type { Launch, Preparation, Setup } from "../src/sandboxes/process/run/launch.ts";
import { tokensOver } from "../src/volumes/token-issuer.ts";

/** An API server in memory, a folder of its own, and rooms in it. */
export interface SetupStage {
  readonly root: string;
  readonly client: KubeClient;
  readonly clock: FakeClock;
  readonly failures: string[];
  setups(options?: Partial<SandboxSetupOptions>): Promise<LocalSandboxSetup>;
  /** A pod with one container, as the server stores it. */
  pod(name: string, container: Partial<api.Container>, spec?: Partial<PodSpec>): Promise<Pod>;
  secret(name: string, data: Record<string, string>): Promise<Secret>;
  configMap(name: string, data: Record<string, string>): Promise<ConfigMap>;
}

const signingKey = generateKeyPairSync("rsa", { modulusLength: 2048 })
  .privateKey.export({ type: "pkcs8", format: "pem" })
  .toString();

export async function startSetupStage(test: TestContext): Promise<SetupStage> {
  const clock = new FakeClock();
  const root = await mkdtemp(join(tmpdir(), "trivium-rooms-"));
  const resources = builtInResources();
  const tokens = createAccountTokens(signingKey);
  const failures: string[] = [];
  const server = createApi({ store: openMemoryStore(), resources, clock: () => clock.now(), tokens });
  await server.ready;
  const transport = server.transport({ user: "stage", groups: ["system:masters"] });
  const client = createClient(transport);
  const open: LocalSandboxSetup[] = [];
  test.after(async () => {
    for (const setups of open) await setups.stop();
    await server.close();
    await rm(root, { recursive: true, force: true });
  });
  const head = (name: string) => ({ apiVersion: "v1", metadata: { name, namespace: "default" } });
  return {
    root,
    client,
    clock,
    failures,
    async setups(options = {}) {
      const setups = await createSandboxSetup({
        root,
        client,
        clock,
        node: { name: "here", address: "127.0.0.1", allocatable: { cpu: "4", memory: "8Gi" } },
        tokens: tokensOver(transport, () => clock.now()),
        programs: { engine: ["/opt/engine"], weights: ["/opt/weights"] },
        onError: (what, error) => failures.push(`${what}: ${error}`),
        ...options,
      });
      open.push(setups);
      return setups;
    },
    pod: (name, container, spec = {}) =>
      client.create(Pod, {
        ...head(name),
        kind: "Pod",
        spec: { nodeName: "here", containers: [{ name: "main", image: "busybox", ...container }], ...spec },
      }),
    secret: (name, stringData) => client.create(Secret, { ...head(name), kind: "Secret", stringData }),
    configMap: (name, data) => client.create(ConfigMap, { ...head(name), kind: "ConfigMap", data }),
  };
}

/** Prepares the only container of a pod. */
export async function prepareMain(setups: LocalSandboxSetup, pod: Pod, setup: Setup): Promise<Preparation> {
  return setups.prepare(pod, pod.spec?.containers[0] as api.Container, setup);
}

export async function launchOf(setups: LocalSandboxSetup, pod: Pod): Promise<Launch> {
  const preparation = await prepareMain(setups, pod, await setups.open(pod));
  if (preparation.is !== "ready") throw new Error(`${preparation.reason}: ${preparation.message}`);
  return preparation.launch;
}

/** Runs a launch to its end; what it printed. */
export function outputOf({ argv, env, cwd }: Launch): Promise<string> {
  const [program = "", ...args] = argv;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    child.stdout.on("data", (piece) => {
      text += piece;
    });
    child.stderr.on("data", (piece) => {
      text += piece;
    });
    child.once("error", reject);
    child.once("close", () => resolve(text));
  });
}
