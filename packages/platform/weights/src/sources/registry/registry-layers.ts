import { WeightsError } from "../../fault.ts";
import type { Archive } from "../../transfer/remote-file.ts";
import { checkRelativePath } from "../relative-path.ts";

/** What a layer of a manifest is: one file of the model, an archive of some, or nothing of ours. */
export interface ModelLayer {
  readonly hex: string;
  readonly size: number;
  readonly path: string;
  readonly archive?: Archive;
}

/** Where packers write the name of the file, or of the folder, that a layer is. */
const titles = ["org.opencontainers.image.title", "org.cncf.model.filepath"];
/** Written by ORAS where a folder was packed; the name is then the folder's. */
const unpackMark = "io.deis.oras.content.unpack";
const imageConfigs = new Set([
  "application/vnd.oci.image.config.v1+json",
  "application/vnd.docker.container.image.v1+json",
]);
/** Where images that carry a model (Modelcars) have it. */
const imageFolder = "models/";

/**
 * Reads the layers of a manifest. Layers with a title are files, or folders where they say so. Without titles, archives are unpacked:
 * all of them for an artifact, and only `/models` for an image that can also be run.
 */
export function modelLayers(
  manifest: Record<string, unknown>,
  include: readonly string[],
  shownAs: string,
): ModelLayer[] {
  const layers = Array.isArray(manifest.layers) ? (manifest.layers as Layer[]) : [];
  const titled = layers.flatMap((layer) => titledLayer(layer, include, shownAs) ?? []);
  if (titled.length > 0) return titled;
  const { mediaType } = (manifest.config ?? {}) as { mediaType?: unknown };
  const root = imageConfigs.has(String(mediaType)) ? imageFolder : "";
  return layers.flatMap((layer) => {
    const compression = compressionOf(layer.mediaType);
    if (compression === undefined) return [];
    const { hex, size } = measured(layer, shownAs);
    return { hex, size, path: `layers/${hex}`, archive: { compression, root, include } };
  });
}

interface Layer {
  readonly mediaType?: unknown;
  readonly digest?: unknown;
  readonly size?: unknown;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

function titledLayer(layer: Layer, include: readonly string[], shownAs: string): ModelLayer | undefined {
  const { annotations, mediaType } = layer;
  const title = titles.map((each) => annotations?.[each]).find((each) => typeof each === "string");
  if (typeof title !== "string") return undefined;
  const { hex, size } = measured(layer, shownAs);
  const path = title.replace(/\/+$/, "");
  const isFolder =
    annotations?.[unpackMark] === "true" || /^application\/vnd\.cncf\.model\..*\.tar/.test(String(mediaType));
  if (!isFolder) {
    checkRelativePath(path, shownAs);
    return { hex, size, path };
  }
  // Both packers put the folder's own name in front of the names inside.
  const compression = compressionOf(mediaType) ?? "none";
  return { hex, size, path: `layers/${hex}`, archive: { compression, root: "", include } };
}

function compressionOf(mediaType: unknown): Archive["compression"] | undefined {
  const text = String(mediaType);
  if (/[.+]zstd$/.test(text) && text.includes("tar")) return "zstd";
  if (/[.+]gzip$/.test(text) && text.includes("tar")) return "gzip";
  return /\.tar$/.test(text) ? "none" : undefined;
}

function measured({ digest, size }: Layer, shownAs: string): { hex: string; size: number } {
  const hex = /^sha256:([0-9a-f]{64})$/.exec(String(digest))?.[1];
  if (hex !== undefined && Number.isSafeInteger(size) && (size as number) >= 0) return { hex, size: size as number };
  throw new WeightsError("refused", "Rejected", `${shownAs}: a layer has no SHA-256 digest or no size`);
}
