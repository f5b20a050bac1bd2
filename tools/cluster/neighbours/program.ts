import { execFileSync, spawn } from "node:child_process";
import { globSync, openSync, readFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import type { KubeClient, KubeObject } from "@trivium/kube";
import { until } from "@trivium/testkit";
import { parseAllDocuments } from "yaml";

/** The cluster that a controller of another project is started for. */
export interface NeighbourOptions {
  readonly kubeconfig: string;
  readonly client: KubeClient;
  /** For its configuration, certificates and log. */
  readonly folder: string;
}

export interface NeighbourProgram {
  readonly path: string;
  readonly args: readonly string[];
  /** Added to the environment, beside `KUBECONFIG`. */
  readonly env?: Readonly<Record<string, string>>;
  readonly name: string;
  isReady(): Promise<boolean>;
}

export interface RunningNeighbour {
  stop(): Promise<void>;
}

/** Starts a controller that logs into its folder, and resolves when it is ready. */
export async function startProgram(
  { name, path, args, env, isReady }: NeighbourProgram,
  { folder, kubeconfig }: NeighbourOptions,
): Promise<RunningNeighbour> {
  const file = join(folder, `${name}.log`);
  const log = openSync(file, "a", 0o600);
  const child = spawn(path, args, {
    cwd: folder,
    env: { ...process.env, KUBECONFIG: kubeconfig, ...env },
    stdio: ["ignore", log, log],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()).once("error", () => resolve()));
  const killNow = (): boolean => child.kill("SIGKILL");
  // A test process that ends in the middle takes the controller with it.
  process.once("exit", killNow);
  const stop = async (): Promise<void> => {
    process.off("exit", killNow);
    child.kill("SIGTERM");
    const late = setTimeout(killNow, 10_000);
    await ended;
    clearTimeout(late);
  };
  const checkReady = (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`${name} exited with ${child.exitCode}: ${tailOf(file)}`);
    return isReady();
  };
  await until(checkReady, `${name} is ready`).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { stop };
}

const tailOf = (file: string): string => readFileSync(file, "utf8").trim().slice(-1_000);

/** Whether a server of this machine answers 200 there. */
export const isServed = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on("error", () => resolve(false));
  });

/** Where Go keeps a module that the programs of this folder are built from. */
export const folderOfModule = (folder: string, path: string): string =>
  execFileSync("go", ["list", "-m", "-f", "{{.Dir}}", path], { cwd: folder, encoding: "utf8" }).trim();

/** All objects of the YAML files that match. */
export const readObjects = (pattern: string): KubeObject[] =>
  globSync(pattern).flatMap((path) =>
    parseAllDocuments(readFileSync(path, "utf8"))
      .map((document) => document.toJS() as KubeObject | null)
      .filter((object) => object !== null),
  );
