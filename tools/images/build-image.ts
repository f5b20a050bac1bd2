import { gzipSync } from "node:zlib";
import { file, writeTar } from "./archive.ts";
import { type Architecture, basePackages } from "./debian-packages.ts";
import { type ImageSpec, processOf } from "./image-list.ts";
import { baseLayer, type Layer, nodeLayer, programLayer } from "./layers.ts";
import { type Component, formatSbom } from "./sbom.ts";
import { cached, sha256Of } from "./sources.ts";

/** Bytes with the name that they have in a registry. */
export interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly bytes: Buffer;
}

/** A layer, as it is stored and as it is unpacked. */
export interface PackedLayer extends Blob {
  readonly diffId: string;
  readonly tar: Buffer;
}

/** An image for one architecture. */
export interface BuiltImage {
  readonly spec: ImageSpec;
  readonly architecture: Architecture;
  readonly version: string;
  readonly layers: readonly PackedLayer[];
  readonly config: Blob;
  readonly manifest: Blob;
}

export interface Release {
  readonly version: string;
  /** The time that everything in the images has. */
  readonly seconds: number;
}

interface BuildInput extends Release {
  readonly spec: ImageSpec;
  readonly architecture: Architecture;
}

export type ImageBuilder = (spec: ImageSpec, architecture: Architecture) => Promise<BuiltImage>;

/** Builds images in memory. The same sources give the same digests. */
export function createBuilder(release: Release): ImageBuilder {
  const shared = new Map<Architecture, Promise<SharedLayers>>();
  return async (spec, architecture) => {
    const known = shared.get(architecture) ?? packShared(architecture, release.seconds);
    shared.set(architecture, known);
    return buildImage({ ...release, spec, architecture }, await known);
  };
}

async function buildImage(input: BuildInput, shared: SharedLayers): Promise<BuiltImage> {
  const { spec, architecture, seconds, version } = input;
  const own = withSbom(await programLayer(spec, architecture), shared, input);
  const layers = [...shared.packed, await pack(own, seconds)];
  const config = jsonBlob("application/vnd.oci.image.config.v1+json", configOf(input, layers));
  const manifest = jsonBlob(manifestType, {
    schemaVersion: 2,
    mediaType: manifestType,
    config: descriptorOf(config),
    layers: layers.map(descriptorOf),
  });
  return { spec, architecture, version, layers, config, manifest };
}

const manifestType = "application/vnd.oci.image.manifest.v1+json";

/** The layers below the program are the same for all images of an architecture. */
interface SharedLayers {
  readonly packed: readonly PackedLayer[];
  readonly components: readonly Component[];
}

async function packShared(architecture: Architecture, seconds: number): Promise<SharedLayers> {
  const layers = [await baseLayer(basePackages[architecture]), await nodeLayer(architecture)];
  const packed = await Promise.all(layers.map((layer) => pack(layer, seconds)));
  return { packed, components: layers.flatMap(({ components }) => components) };
}

/** The list of what is inside goes into the layer of the program, which differs for every image anyway. */
function withSbom(own: Layer, below: SharedLayers, { spec, version, seconds, architecture }: BuildInput): Layer {
  const components = [...below.components, ...own.components];
  const digest = sha256Of(JSON.stringify([architecture, components])).slice(0, 16);
  const sbom = formatSbom({ image: `trivium-${spec.name}`, version, digest, seconds, components });
  return { ...own, entries: [...own.entries, file("usr/share/doc/trivium/sbom.spdx.json", sbom)] };
}

async function pack({ entries }: Layer, seconds: number): Promise<PackedLayer> {
  const tar = writeTar(entries, seconds);
  const diffId = sha256Of(tar);
  // Compressing Node takes longer than everything else together, and it seldom changes.
  const bytes = await cached(`${diffId}.tar.gz`, () => Promise.resolve(gzipSync(tar, { level: 6 })), "any bytes");
  const mediaType = "application/vnd.oci.image.layer.v1.tar+gzip";
  return { mediaType, digest: `sha256:${sha256Of(bytes)}`, bytes, diffId: `sha256:${diffId}`, tar };
}

function configOf({ spec, architecture, version, seconds }: BuildInput, layers: readonly PackedLayer[]): object {
  const created = new Date(seconds * 1000).toISOString();
  return {
    created,
    architecture,
    os: "linux",
    ...(architecture === "arm64" ? { variant: "v8" } : {}),
    config: {
      ...processOf(spec),
      Labels: {
        "org.opencontainers.image.title": `trivium-${spec.name}`,
        "org.opencontainers.image.description": spec.description,
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.licenses": "Apache-2.0",
      },
    },
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
    history: ["libraries", "node", spec.name].map((created_by) => ({ created, created_by })),
  };
}

export function jsonBlob(mediaType: string, value: object): Blob {
  const bytes = Buffer.from(JSON.stringify(value));
  return { mediaType, digest: `sha256:${sha256Of(bytes)}`, bytes };
}

export const descriptorOf = ({ mediaType, digest, bytes }: Blob) => ({ mediaType, digest, size: bytes.length });
