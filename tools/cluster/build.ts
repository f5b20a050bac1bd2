import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { binaries, cacheRoot, kubernetesVersion, moduleFolder } from "./places.ts";

/** Why a machine cannot have a cluster; for the line that says a test was skipped. */
export class NoCluster extends Error {
  constructor(why: string) {
    super(why);
    this.name = "NoCluster";
  }
}

/** Programs that are built from Go modules, once per machine. */
export interface GoPrograms {
  /** The folder with `go.mod`. */
  readonly module: string;
  /** The folder outside the checkout that holds the built programs. */
  readonly output: string;
  /** For the line that says why somebody waits. */
  readonly about: string;
  /** Package to build, by the name of the program. */
  readonly programs: Readonly<Record<string, string>>;
  /** The version that they report; that of the control plane where it is left out. */
  readonly version?: string;
}

const controlPlane: GoPrograms = {
  module: moduleFolder,
  output: binaries,
  about: `Kubernetes ${kubernetesVersion} once, about 15 minutes of one core`,
  programs: {
    etcd: "go.etcd.io/etcd/server/v3",
    "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
    "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
    "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
    kubectl: "k8s.io/kubernetes/cmd/kubectl",
  },
};

/** The folder with the programs of the control plane, built first if this machine has not built them before. */
export function ensureBinaries(print: (line: string) => void): string {
  return ensurePrograms(controlPlane, print);
}

/** The folder with the programs, built first if this machine has not built them before. */
export function ensurePrograms(wanted: GoPrograms, print: (line: string) => void): string {
  const { module, output, about, programs, version: stamp = kubernetesVersion } = wanted;
  if (existsSync(output)) return output;
  const version = spawnSync("go", ["version"], { encoding: "utf8" });
  if (version.status !== 0)
    throw new NoCluster("Go is not installed, which builds the programs of a Kubernetes cluster");
  print(`building ${about} …`);
  const unfinished = `${output}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    for (const [name, path] of Object.entries(programs)) {
      print(`building ${path}`);
      build(module, { path, output: join(unfinished, name), version: stamp });
    }
    renameSync(unfinished, output);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return output;
}

/** Where the programs of a module are kept: everything that decides what they are is in its files. */
export function outputOf(name: string, module: string): string {
  const files = ["go.mod", "go.sum", "main.go"].map((file) => join(module, file)).filter((path) => existsSync(path));
  const digest = createHash("sha256");
  for (const path of files) digest.update(readFileSync(path));
  return join(cacheRoot, `${name}-${digest.digest("hex").slice(0, 12)}`);
}

interface GoBuild {
  readonly path: string;
  readonly output: string;
  readonly version: string;
}

function build(module: string, { path, output, version }: GoBuild): void {
  const args = ["build", "-trimpath", "-ldflags", linkFlags(version), "-o", output, path];
  const { status, error } = spawnSync("go", args, {
    cwd: module,
    env: { ...process.env, CGO_ENABLED: "0" },
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) throw new NoCluster(`go build ${path} failed${error === undefined ? "" : `: ${error.message}`}`);
}

/** The programs report the version that is stamped into them; without it the API server serves no features at all. */
function linkFlags(version: string): string {
  const [major, minor] = version.slice(1).split(".");
  const stamp = (name: string, value: string | undefined): string =>
    `-X k8s.io/component-base/version.${name}=${value ?? ""}`;
  return ["-s", "-w", stamp("gitVersion", version), stamp("gitMajor", major), stamp("gitMinor", minor)].join(" ");
}
