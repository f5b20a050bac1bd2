import { describeRefusedPath } from "@trivium/engines";
import type { api } from "@trivium/kube";
import { cleanPath, parseSourceUri, rootOf } from "@trivium/std";
import type { AimOptions } from "../../options.ts";
import type { ModelCache } from "../names/names.ts";

export const isLocal = ({ sourceUri }: { readonly sourceUri: string }): boolean =>
  parseSourceUri(sourceUri).scheme === "file";

/** Weights that lie on the node already: where, and in which folder that the operator allows. */
export interface LocalSource {
  readonly path: string;
  readonly root: string | undefined;
}

export function localSourceOf(
  { spec }: { readonly spec: Pick<ModelCache["spec"], "sourceUri"> },
  { localRoots }: AimOptions,
): LocalSource | undefined {
  const uri = parseSourceUri(spec.sourceUri);
  if (uri.scheme !== "file") return undefined;
  const path = cleanPath(uri.path);
  return { path, root: rootOf(path, localRoots) };
}

/** Bytes that the weights need on the volume: none where it has links to files of the node. */
export const storedBytes = ({ spec }: Pick<ModelCache, "spec">, options: AimOptions, bytes: bigint): bigint =>
  isLinked(spec, options) ? 0n : bytes;

/** Images of others copy. */
export const isLinked = (spec: ModelCache["spec"], { localFiles }: AimOptions): boolean =>
  localFiles === "linked" && isLocal(spec) && isFetchedByUs(spec);

/** What the field has when no image was chosen: our own program downloads then. */
const defaultImage = "kserve/storage-initializer:v0.16.0";

export const isFetchedByUs = ({ modelDownloadImage: image = defaultImage }: ModelCache["spec"]): boolean =>
  image === defaultImage;

/** Why a file of the node cannot be used, and what to do. */
export const refusalOf = ({ path }: LocalSource, { localRoots }: AimOptions): string =>
  describeRefusedPath(path, localRoots);

/** The folder as a container sees it, and that it may be read. */
export function mountOf({ root = "/" }: LocalSource, name = "local", at = root) {
  return {
    volume: { name, hostPath: { path: root, type: "Directory" } } satisfies api.Volume,
    mount: { name, mountPath: at, readOnly: true } satisfies api.VolumeMount,
    env: { name: "TRIVIUM_WEIGHTS_ROOTS", value: at } satisfies api.EnvVar,
  };
}
