import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { bundleOptions, nativeBinding, programs } from "../../scripts/bundles.ts";
import { buildPages, pagePackages } from "../../scripts/dashboard-pages.ts";
import { bundledPackages, licenceOf } from "../../scripts/package/licences.ts";
import { type Entry, file, folder, link } from "./archive.ts";
import { type Architecture, type DebianPackage, enginePackages } from "./debian-packages.ts";
import { type ImageSpec, user } from "./image-list.ts";
import { type Component, componentOfDebian, componentOfNpm } from "./sbom.ts";
import { NoImages, type Unpacked, unpackDebian, unpackNpm } from "./sources.ts";

/** A layer before it is archived, and what it is made of. */
export interface Layer {
  readonly entries: readonly Entry[];
  readonly components: readonly Component[];
}

/** The libraries, the certificates and a user: no shell, no package manager. */
export async function baseLayer(packages: readonly DebianPackage[]): Promise<Layer> {
  const unpacked = await Promise.all(packages.map(unpackDebian));
  const certificates = unpacked
    .flatMap(({ entries }) => entries)
    .filter(({ path }) => /^usr\/share\/ca-certificates\/.+\.crt$/.test(path))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ content }) => String(content));
  const entries = [
    ...librariesOf(packages, unpacked),
    file("etc/ssl/certs/ca-certificates.crt", certificates.join("")),
    file(
      "etc/passwd",
      `root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:${user}:${user}:nonroot:/home/nonroot:/sbin/nologin\n`,
    ),
    file("etc/group", `root:x:0:\nnonroot:x:${user}:\n`),
    file("etc/nsswitch.conf", "hosts: files dns\n"),
    file(
      "etc/os-release",
      'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nNAME="Debian GNU/Linux"\nVERSION_ID="12"\nID=debian\n',
    ),
    folder("home/nonroot"),
    folder("tmp", 0o1777),
  ];
  return { entries: withFolders(entries), components: packages.map(componentOfDebian) };
}

/** Shared libraries and licences of Debian packages; scanners find what is installed in `status.d`. */
function librariesOf(packages: readonly DebianPackage[], unpacked: readonly Unpacked[]): Entry[] {
  const isKept = ({ path, is }: Entry): boolean =>
    is !== "folder" &&
    (/^(?:usr\/)?lib(?:64)?\/(?:[^/]+-linux-gnu\/)?[^/]*\.so[^/]*$/.test(path) ||
      /^usr\/share\/doc\/[^/]+\/copyright$/.test(path));
  return unpacked.flatMap(({ entries, control }, at) => [
    ...entries.filter(isKept),
    file(`var/lib/dpkg/status.d/${packages[at]?.name}`, control),
  ]);
}

/** Node itself, and its licence. */
export async function nodeLayer(architecture: Architecture): Promise<Layer> {
  const name = `node-linux-${npmNameOf(architecture)}`;
  const entries = await unpackNpm(name);
  const take = (path: string): Buffer => {
    const found = entries.find((entry) => entry.path === path);
    if (found === undefined) throw new Error(`${name} has no file ${path}`);
    return found.content;
  };
  const kept = [
    file("usr/local/bin/node", take("bin/node"), 0o755),
    file("usr/share/doc/node/LICENSE", take("LICENSE")),
  ];
  return { entries: withFolders(kept), components: [componentOfNpm(name)] };
}

/** The bundle under the name of its program, the licences of what is inside, and for the engine the native binding. */
export async function programLayer(spec: ImageSpec, architecture: Architecture): Promise<Layer> {
  const { text, packages: bundled } = await bundle(spec);
  const packages = spec.hasPages === true ? [...new Set([...bundled, ...pagePackages])].sort() : bundled;
  const binding = spec.hasBinding ? await bindingLayer(architecture) : { entries: [], components: [] };
  const entries = [
    // The kernel hands on what follows the program as one word, so one flag at most.
    file(`app/${spec.name}.mjs`, `${["#!/usr/local/bin/node", ...spec.flags.slice(0, 1)].join(" ")}\n${text}`, 0o755),
    link(`usr/local/bin/trivium-${spec.name}`, `/app/${spec.name}.mjs`),
    file("usr/share/doc/trivium/LICENSE", readFileSync("LICENSE")),
    ...(spec.hasPages === true ? pageEntries() : []),
    ...packages.flatMap((name) => licencesOf(name)),
    ...binding.entries,
  ];
  return { entries: withFolders(entries), components: [...packages.map(componentOfNpm), ...binding.components] };
}

/** The pages of the dashboard, beside the bundle that serves them. */
function pageEntries(): Entry[] {
  const place = join(mkdtempSync(join(tmpdir(), "trivium-pages-")), "dashboard");
  try {
    const fault = buildPages(place);
    if (fault !== undefined) throw new NoImages(`the pages of the dashboard cannot be built: ${fault}`);
    return readdirSync(place, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
      .map((path) => file(`app/dashboard/${relative(place, path)}`, readFileSync(path)));
  } finally {
    rmSync(join(place, ".."), { recursive: true, force: true });
  }
}

async function bundle({ name }: ImageSpec): Promise<{ text: string; packages: string[] }> {
  const built = await build({
    ...bundleOptions,
    entryPoints: { [name]: programs[name] },
    outdir: "dist",
    write: false,
    metafile: true,
  });
  const text = built.outputFiles[0]?.text ?? "";
  return { text: text.replace(/^#!.*\n/, ""), packages: bundledPackages([built]) };
}

/** The bindings' scripts and their libraries for one architecture; not the sources that they could be built from. */
async function bindingLayer(architecture: Architecture): Promise<Layer> {
  const native = `@fugood/node-llama-linux-${npmNameOf(architecture)}`;
  const addon = `@node-llama-cpp/linux-${npmNameOf(architecture)}`;
  const within = async (name: string, isKept: (path: string) => boolean): Promise<Entry[]> =>
    (await unpackNpm(name))
      .filter(({ path, is }) => is === "file" && isKept(path))
      .map((entry) => ({ ...entry, path: `app/node_modules/${name}/${entry.path}`, mode: 0o644 }));
  const debian = await baseLayer(enginePackages[architecture]).then(({ entries, components }) => ({
    entries: entries.filter(({ path }) => /^(?:usr\/lib|usr\/share\/doc|var)\//.test(path)),
    components,
  }));
  return {
    entries: [
      ...(await within(nativeBinding, (path) => /^lib\/.*\.js$|^package\.json$|^README\.md$|^LICENSE/.test(path))),
      ...(await within(native, () => true)),
      ...(await within(addon, () => true)),
      ...debian.entries,
    ],
    components: [componentOfNpm(nativeBinding), componentOfNpm(native), componentOfNpm(addon), ...debian.components],
  };
}

const npmNameOf = (architecture: Architecture): string => (architecture === "amd64" ? "x64" : "arm64");

/** The licence file of an installed package, under its name. */
function licencesOf(name: string): Entry[] {
  const path = licenceOf(name);
  return path === undefined ? [] : [file(`usr/share/doc/trivium/licenses/${name}/LICENSE`, readFileSync(path))];
}

/** The folders of all entries, so that each layer is complete and none depends on what another one did. */
function withFolders(entries: readonly Entry[]): Entry[] {
  const known = new Map(entries.map((entry) => [entry.path, entry]));
  for (const { path } of entries) {
    const parts = path.split("/").slice(0, -1);
    parts.forEach((_, at) => {
      const parent = parts.slice(0, at + 1).join("/");
      if (!known.has(parent)) known.set(parent, folder(parent));
    });
  }
  return [...known.values()];
}
