import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { type ClusterAccess, findAccess, loadKubeconfig } from "@trivium/client";
import { defaultHome } from "@trivium/local";
import { Refusal } from "@trivium/std";

/** How a command finds its cluster. */
export interface AccessOptions {
  readonly namespace?: string;
  readonly kubeconfig?: string;
}

/** Where a control plane of this machine may have written how it runs: beside its kubeconfig. */
export function homesOf({ kubeconfig = process.env.KUBECONFIG }: AccessOptions): string[] {
  const files = (kubeconfig ?? "").split(delimiter).filter((path) => path !== "");
  return [...files.map((path) => dirname(path)), defaultHome(process.env)];
}

/** The cluster that kubectl would ask; where there is none, the one of this machine. */
export async function accessOf({ kubeconfig }: AccessOptions): Promise<ClusterAccess> {
  try {
    if (kubeconfig !== undefined) return await loadKubeconfig(kubeconfig);
    return await findAccess().catch((error: unknown) => {
      const own = join(defaultHome(process.env), "kubeconfig");
      if (!existsSync(own) || process.env.KUBECONFIG) throw error;
      return loadKubeconfig(own);
    });
  } catch (error) {
    throw new Refusal(error instanceof Error ? error.message : String(error));
  }
}
