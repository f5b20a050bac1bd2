import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { type ClusterAccess, findAccess, loadKubeconfig, NoClusterConfigured } from "@trivium/client";
import type { ApiError } from "@trivium/kube";
import { defaultHome } from "@trivium/local";
import { Refusal } from "@trivium/std";

/** How a command finds its cluster. */
export interface AccessOptions {
  readonly namespace?: string;
  readonly kubeconfig?: string;
  /** Folder of a control plane of this machine, whose kubeconfig is used. */
  readonly home?: string;
}

/** Where a control plane of this machine may have written how it runs: beside its kubeconfig. */
export function homesOf({ home, kubeconfig = process.env.KUBECONFIG }: AccessOptions): string[] {
  const files = (kubeconfig ?? "").split(delimiter).filter((path) => path !== "");
  return [...(home === undefined ? [] : [home]), ...files.map((path) => dirname(path)), defaultHome(process.env)];
}

/** The cluster that kubectl would ask; where there is none, the one of this machine. */
export async function accessOf({ home, kubeconfig = kubeconfigIn(home) }: AccessOptions): Promise<ClusterAccess> {
  try {
    if (kubeconfig !== undefined) return await loadKubeconfig(kubeconfig);
    return await findAccess().catch((error: unknown) => {
      const own = join(defaultHome(process.env), "kubeconfig");
      if (!existsSync(own) || process.env.KUBECONFIG) throw error;
      return loadKubeconfig(own);
    });
  } catch (error) {
    if (error instanceof NoClusterConfigured) throw noControlPlane();
    throw new Refusal(error instanceof Error ? error.message : String(error));
  }
}

/** The one sentence of every command that finds neither a control plane of this machine nor a cluster. */
export const noControlPlane = (otherwise = "choose a cluster with --kubeconfig"): Refusal =>
  new NoControlPlane(`no control plane runs on this machine; start it with trivium up -d, or ${otherwise}`);

/** There is no cluster to ask, which is no fault of a kubeconfig. */
export class NoControlPlane extends Refusal {}

function kubeconfigIn(home: string | undefined): string | undefined {
  if (home === undefined) return undefined;
  const path = join(home, "kubeconfig");
  if (!existsSync(path))
    throw new Refusal(`no control plane has run in ${home}; start it with trivium up -d --home ${home}`);
  return path;
}

/** What a person reads of a call that failed: the answer of the cluster, or that nothing answers there. */
export function refusalOf(error: ApiError, access: ClusterAccess, options: AccessOptions): Refusal {
  if (error.code !== 0) return new Refusal(`${access.server}: ${error.message}`);
  const home = homeBehind(access.server, options);
  if (home !== undefined) {
    const where = resolve(home) === resolve(defaultHome(process.env)) ? "" : ` --home ${home}`;
    return new Refusal(`no control plane responds at ${access.server}; start it with trivium up -d${where}`);
  }
  const file = options.kubeconfig ?? (process.env.KUBECONFIG || "~/.kube/config");
  const why = error.cause instanceof Error && error.cause.message !== "" ? ` (${error.cause.message})` : "";
  return new Refusal(
    `no cluster responds at ${access.server}${why}; check context ${access.context} of kubeconfig ${file}, or choose another with --kubeconfig`,
  );
}

/** The folder of the control plane of this machine that has, or had, this address. */
export const homeBehind = (server: string, options: AccessOptions): string | undefined =>
  homesOf(options).find((folder) => isOf(folder, server));

/** Whether the control plane of this folder has, or had, this address. */
function isOf(home: string, server: string): boolean {
  const path = join(home, "kubeconfig");
  const isHome = ["identity", "data"].every((name) => existsSync(join(home, name)));
  return isHome && existsSync(path) && readFileSync(path, "utf8").includes(server);
}
