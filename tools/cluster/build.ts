import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { binaries, kubernetesVersion, moduleFolder } from "./places.ts";

/** Why a machine cannot have a cluster; for the line that says a test was skipped. */
export class NoCluster extends Error {
  constructor(why: string) {
    super(why);
    this.name = "NoCluster";
  }
}

const programs: Readonly<Record<string, string>> = {
  etcd: "go.etcd.io/etcd/server/v3",
  "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
  "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
  "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
  kubectl: "k8s.io/kubernetes/cmd/kubectl",
};

/** The folder with the programs of the control plane, built first if this machine has not built them before. */
export function ensureBinaries(print: (line: string) => void): string {
  if (existsSync(binaries)) return binaries;
  const version = spawnSync("go", ["version"], { encoding: "utf8" });
  if (version.status !== 0)
    throw new NoCluster("there is no Go on this machine to build a Kubernetes control plane with");
  print(`building Kubernetes ${kubernetesVersion} once, about 15 minutes of one core …`);
  const unfinished = `${binaries}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    for (const [name, path] of Object.entries(programs)) build(path, join(unfinished, name), print);
    renameSync(unfinished, binaries);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return binaries;
}

function build(path: string, output: string, print: (line: string) => void): void {
  print(`building ${path}`);
  const { status, error } = spawnSync("go", ["build", "-trimpath", "-ldflags", linkFlags(), "-o", output, path], {
    cwd: moduleFolder,
    env: { ...process.env, CGO_ENABLED: "0" },
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) throw new NoCluster(`go build ${path} failed${error === undefined ? "" : `: ${error.message}`}`);
}

/** The programs report the version that is stamped into them; without it the API server serves no features at all. */
function linkFlags(): string {
  const [major, minor] = kubernetesVersion.slice(1).split(".");
  const stamp = (name: string, value: string | undefined): string =>
    `-X k8s.io/component-base/version.${name}=${value ?? ""}`;
  return ["-s", "-w", stamp("gitVersion", kubernetesVersion), stamp("gitMajor", major), stamp("gitMinor", minor)].join(
    " ",
  );
}
