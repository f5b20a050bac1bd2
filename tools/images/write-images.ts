import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { file, readTar, writeTar } from "./archive.ts";
import { type Blob, type BuiltImage, descriptorOf, jsonBlob } from "./build-image.ts";

const indexType = "application/vnd.oci.image.index.v1+json";

/** Under which name an image is stored: `ghcr.io/trivium/trivium-operator:0.1.0`. */
export const nameOf = (registry: string, { spec, version }: Pick<BuiltImage, "spec" | "version">): string =>
  `${registry}/trivium-${spec.name}:${version}`;

/** An OCI layout that holds all images; those of several architectures under one name. */
export function writeLayout(folder: string, images: readonly BuiltImage[], registry: string): void {
  const blobs = join(folder, "blobs", "sha256");
  mkdirSync(blobs, { recursive: true });
  const store = (blob: Blob): void => writeFileSync(join(blobs, blob.digest.slice("sha256:".length)), blob.bytes);
  const named = [...Map.groupBy(images, (image) => nameOf(registry, image))].map(([name, variants]) => {
    for (const { layers, config, manifest } of variants) for (const blob of [...layers, config, manifest]) store(blob);
    const index = indexOf(variants);
    store(index);
    const annotations = { "io.containerd.image.name": name, "org.opencontainers.image.ref.name": name };
    return { ...descriptorOf(index), annotations };
  });
  writeFileSync(join(folder, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  const index = { schemaVersion: 2, mediaType: indexType, manifests: named };
  writeFileSync(join(folder, "index.json"), JSON.stringify(index));
}

export function indexOf(variants: readonly BuiltImage[]): Blob {
  return jsonBlob(indexType, {
    schemaVersion: 2,
    mediaType: indexType,
    manifests: variants.map(({ manifest, architecture }) => ({
      ...descriptorOf(manifest),
      platform: { architecture, os: "linux", ...(architecture === "arm64" ? { variant: "v8" } : {}) },
    })),
  });
}

/** A tarball of one architecture that `docker load`, `podman load` and `ctr images import` take. */
export function writeArchive(path: string, images: readonly BuiltImage[], registry: string, seconds: number): void {
  const layers = new Map(images.flatMap((image) => image.layers.map((layer) => [layer.diffId, layer.tar])));
  const nameOfLayer = (diffId: string): string => `${diffId.slice("sha256:".length)}.tar`;
  const manifest = images.map((image) => ({
    Config: `${image.config.digest.slice("sha256:".length)}.json`,
    RepoTags: [nameOf(registry, image)],
    Layers: image.layers.map(({ diffId }) => nameOfLayer(diffId)),
  }));
  const entries = [
    file("manifest.json", JSON.stringify(manifest)),
    ...images.map(({ config }) => file(`${config.digest.slice("sha256:".length)}.json`, config.bytes)),
    ...[...layers].map(([diffId, tar]) => file(nameOfLayer(diffId), tar)),
  ];
  writeFileSync(path, writeTar(entries, seconds));
}

/** The root filesystem of an image, as a folder. */
export function writeRootfs(folder: string, { layers }: BuiltImage): void {
  for (const { path, is, mode, content, target } of layers.flatMap(({ tar }) => readTar(tar))) {
    const place = join(folder, path);
    if (is === "folder") mkdirSync(place, { recursive: true });
    else if (is === "link") symlinkSync(target, place);
    else writeFileSync(place, content);
    if (is !== "link") chmodSync(place, mode);
  }
}
