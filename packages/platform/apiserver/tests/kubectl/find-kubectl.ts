import { execFile } from "node:child_process";
import { access, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Where kubectl is, or why there is none. */
export type Found = { readonly path: string } | { readonly missing: string };

const oldestMinor = 32;
const builtVersion = "v0.36.4";

/** kubectl from PATH when it is new enough, else one built from Go modules into a cache outside the checkout. */
export async function findKubectl(): Promise<Found> {
  const onPath = await minorOf("kubectl");
  if (onPath !== undefined && onPath >= oldestMinor) return { path: "kubectl" };
  const built = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "trivium", `kubectl-${builtVersion}`);
  if (await exists(built)) return { path: built };
  const why =
    onPath === undefined
      ? "there is no kubectl on PATH"
      : `kubectl on PATH is 1.${onPath}, older than 1.${oldestMinor}`;
  if (!(await canRun("go", "version"))) return { missing: `${why}, and no Go to build one` };
  try {
    await buildKubectl(built);
    return { path: built };
  } catch (error) {
    return { missing: `${why}, and it could not be built: ${(error as Error).message.split("\n", 1)[0]}` };
  }
}

async function minorOf(command: string): Promise<number | undefined> {
  try {
    const { stdout } = await run(command, ["version", "--client", "-o", "json"]);
    return Number.parseInt(JSON.parse(stdout).clientVersion.minor, 10);
  } catch {
    return undefined;
  }
}

async function buildKubectl(path: string): Promise<void> {
  const folder = await mkdtemp(join("/tmp", "trivium-kubectl-"));
  try {
    const main = `package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	_ "k8s.io/client-go/plugin/pkg/client/auth"
)

func main() { os.Exit(cli.Run(cmd.NewDefaultKubectlCommand())) }
`;
    await writeFile(join(folder, "main.go"), main);
    await writeFile(join(folder, "go.mod"), `module kubectl\n\ngo 1.26\n\nrequire k8s.io/kubectl ${builtVersion}\n`);
    const version = `-X k8s.io/component-base/version.gitVersion=${builtVersion.replace("v0.", "v1.")}`;
    const options = { cwd: folder, env: { ...process.env, CGO_ENABLED: "0", GOFLAGS: "-mod=mod" }, timeout: 900_000 };
    await run("go", ["get", `k8s.io/kubectl@${builtVersion}`, `k8s.io/component-base@${builtVersion}`], options);
    await run(
      "go",
      ["build", "-trimpath", "-ldflags", `-s -w ${version}`, "-o", join(folder, "kubectl"), "."],
      options,
    );
    await mkdir(join(path, ".."), { recursive: true });
    await rename(join(folder, "kubectl"), path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function canRun(command: string, ...args: string[]): Promise<boolean> {
  return await run(command, args).then(
    () => true,
    () => false,
  );
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
