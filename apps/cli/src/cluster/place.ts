import { dirname, resolve } from "node:path";
import type { ClusterAccess } from "@trivium/client";
import { defaultHome } from "@trivium/local";
import { type AccessOptions, accessOf, homeBehind } from "../access.ts";

/** Where a command that serves models works: on this machine, whether its control plane runs or not, or on a cluster. */
export type Place =
  | { readonly is: "machine"; readonly home: string }
  | { readonly is: "cluster"; readonly access: ClusterAccess };

/** This machine, unless a kubeconfig is chosen that belongs to another cluster: with --kubeconfig or $KUBECONFIG. */
export async function placeOf(options: AccessOptions): Promise<Place> {
  const { home = defaultHome(process.env), kubeconfig = process.env.KUBECONFIG || undefined } = options;
  const isOwn = kubeconfig !== undefined && resolve(dirname(kubeconfig)) === resolve(home);
  if (options.home !== undefined || kubeconfig === undefined || isOwn) return { is: "machine", home };
  const access = await accessOf({ kubeconfig });
  const behind = homeBehind(access.server, options);
  return behind === undefined ? { is: "cluster", access } : { is: "machine", home: behind };
}
