// Builds the container images without a daemon: `npm run images -- --platform linux/amd64 --image operator`.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { defaultRegistry } from "@trivium/domain";
import manifest from "../package.json" with { type: "json" };
import { type BuiltImage, createBuilder } from "../tools/images/build-image.ts";
import { type Architecture, architectures } from "../tools/images/debian-packages.ts";
import { imageSpecs } from "../tools/images/image-list.ts";
import { NoImages } from "../tools/images/sources.ts";
import { indexOf, nameOf, writeArchive, writeLayout, writeRootfs } from "../tools/images/write-images.ts";

const { values } = parseArgs({
  options: {
    image: { type: "string", multiple: true, default: imageSpecs.map(({ name }) => name) },
    platform: { type: "string", multiple: true, default: architectures.map((each) => `linux/${each}`) },
    registry: { type: "string", default: defaultRegistry },
    // Plain folders instead of archives: what the Dockerfile copies.
    rootfs: { type: "boolean", default: false },
    output: { type: "string", default: join("dist", "images") },
  },
});

/** All files in the images have this time, so that building twice gives the same bytes. */
const seconds = Number(process.env.SOURCE_DATE_EPOCH ?? 315_532_800);

try {
  await buildAll();
} catch (error) {
  if (!(error instanceof NoImages)) throw error;
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}

async function buildAll(): Promise<void> {
  const chosen = architectures.filter((each) => values.platform.includes(`linux/${each}`));
  const specs = imageSpecs.filter(({ name }) => values.image.includes(name));
  if (chosen.length === 0 || specs.length === 0) throw new NoImages(`no such image or platform; available: ${offered}`);
  rmSync(values.output, { recursive: true, force: true });
  mkdirSync(values.output, { recursive: true });
  const images: BuiltImage[] = [];
  const build = createBuilder({ version: manifest.version, seconds });
  for (const architecture of chosen) for (const spec of specs) images.push(await build(spec, architecture));
  if (values.rootfs) for (const image of images) writeRootfs(join(values.output, image.spec.name), image);
  else {
    writeLayout(join(values.output, "layout"), images, values.registry);
    for (const architecture of chosen) archive(architecture, images);
  }
  for (const spec of specs) report(images.filter((image) => image.spec === spec));
}

const offered = [...imageSpecs.map(({ name }) => name), ...architectures.map((each) => `linux/${each}`)].join(", ");

function archive(architecture: Architecture, images: readonly BuiltImage[]): void {
  const own = images.filter((image) => image.architecture === architecture);
  writeArchive(join(values.output, `trivium-${architecture}.tar`), own, values.registry, seconds);
}

function report(variants: readonly BuiltImage[]): void {
  const [first] = variants;
  if (first === undefined) return;
  console.log(`${nameOf(values.registry, first)} ${indexOf(variants).digest}`);
  for (const { architecture, layers, manifest: own } of variants) {
    const size = layers.reduce((total, { bytes }) => total + bytes.length, 0);
    console.log(`  linux/${architecture}  ${(size / 1e6).toFixed(1)} MB compressed  ${own.digest}`);
  }
}
