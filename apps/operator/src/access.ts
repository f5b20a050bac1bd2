import { type ClusterAccess, findAccess, loadKubeconfig } from "@trivium/client";
import { Refusal } from "@trivium/std";
import type { OperatorOptions } from "./options/options.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** How to reach the cluster that is meant: the named kubeconfig, the usual one, or the cluster around this pod. */
export async function chooseAccess({ kubeconfig, context }: OperatorOptions, env: Env): Promise<ClusterAccess> {
  try {
    if (kubeconfig === undefined && context === undefined) return await findAccess(env);
    return await loadKubeconfig({ path: kubeconfig, context, env });
  } catch (error) {
    throw new Refusal(`${error instanceof Error ? error.message : String(error)} (--kubeconfig, --context)`);
  }
}
