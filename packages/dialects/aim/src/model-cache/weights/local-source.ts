import type { api } from "@trivium/kube";
import { cleanPath, rootOf } from "@trivium/std";
import type { AimOptions } from "../../options.ts";
import type { ModelCache } from "../names/names.ts";

const scheme = "file://";
export const isLocal = ({ sourceUri }: { readonly sourceUri: string }): boolean => sourceUri.startsWith(scheme);

/** Weights that lie on the node already: where, and in which folder that the operator allows. */
export interface LocalSource {
  readonly path: string;
  readonly root: string | undefined;
}

export function localSourceOf(
  { spec }: { readonly spec: Pick<ModelCache["spec"], "sourceUri"> },
  { localRoots }: AimOptions,
): LocalSource | undefined {
  if (!isLocal(spec)) return undefined;
  const path = cleanPath(spec.sourceUri.slice(scheme.length));
  return { path, root: rootOf(path, localRoots) };
}

/** Why a file of the node cannot be used, and what to do. */
export function refusalOf({ path }: LocalSource, { localRoots }: AimOptions): string {
  const allowed = localRoots.length === 0 ? "none is allowed" : `allowed: ${localRoots.join(", ")}`;
  return `${path} is not in an allowed directory for file:// sources (${allowed}); move it, or allow its directory (--allowed-host-path-roots of the operator, folders in trivium.yaml)`;
}

/** The folder as a container sees it, and that it may be read. */
export function mountOf({ root = "/" }: LocalSource, name = "local") {
  return {
    volume: { name, hostPath: { path: root, type: "Directory" } } satisfies api.Volume,
    mount: { name, mountPath: root, readOnly: true } satisfies api.VolumeMount,
    env: { name: "TRIVIUM_WEIGHTS_ROOTS", value: root } satisfies api.EnvVar,
  };
}
