// The tarball of the images, loaded and started by the podman and the docker of Debian, neither of which is installed.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type TestContext, test } from "node:test";
import { debianPackages, preparePodman, runThrough, searchPathOf } from "@trivium/testkit";
import { removeCgroups } from "../cluster/node/sandbox.ts";
import { createBuilder } from "./build-image.ts";
import { type ImageSpec, imageSpecs } from "./image-list.ts";
import { NoImages } from "./sources.ts";
import { nameOf, writeArchive } from "./write-images.ts";

const registry = "trivium.test/load";
const release = { version: "0.1.0", seconds: 315_532_800 };
const spec = imageSpecs.find(({ name }) => name === "weights") as ImageSpec;
const image = nameOf(registry, { spec, version: release.version });

/** Loads the tarball, and starts a container as the emitted pods have it: no rights, nothing to write to. */
const attempt = (engine: string, archive: string): string =>
  `${engine} load --input '${archive}' && ${engine} run --rm --network=none --read-only --cap-drop=ALL ${image} --help`;

async function buildOrSkip(t: TestContext): Promise<{ folder: string; archive: string } | undefined> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    t.skip("a container engine with a network and mounts of its own needs root on Linux");
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "trivium-load-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  try {
    const built = await createBuilder(release)(spec, process.arch === "arm64" ? "arm64" : "amd64");
    const archive = join(folder, "images.tar");
    writeArchive(archive, [built], registry, release.seconds);
    return { folder, archive };
  } catch (error) {
    if (!(error instanceof NoImages)) throw error;
    t.skip(error.message);
    return undefined;
  }
}

const usage = /Usage: trivium-weights/;

test("podman loads the tarball and runs the image", async (t) => {
  const built = await buildOrSkip(t);
  if (built === undefined) return;
  const podman = await preparePodman(join(built.folder, "podman"));
  if (podman.is === "missing") return t.skip(podman.why);
  const script = `PATH=${podman.programs}:$PATH; ${attempt("podman", built.archive)}`;
  const { code, output } = await runThrough(podman.apart(["sh", "-c", script]));
  assert.equal(code, 0, output);
  assert.match(output, usage);
});

test("docker loads the tarball and runs the image", async (t) => {
  const built = await buildOrSkip(t);
  if (built === undefined) return;
  const packages = await debianPackages("docker.io", "containerd", "runc");
  if (packages.is === "missing") return t.skip(packages.why);
  const { folder } = built;
  const cgroup = basename(folder);
  t.after(() => removeCgroups(cgroup));
  const daemon = [
    ...["dockerd", `--data-root=${folder}/data`, `--exec-root=${folder}/exec`, `--pidfile=${folder}/pid`],
    ...[`--host=unix://${folder}/socket`, "--bridge=none", "--iptables=false", "--ip6tables=false"],
    ...["--storage-driver=vfs", "--exec-opt=native.cgroupdriver=cgroupfs", `--cgroup-parent=/${cgroup}`],
  ].join(" ");
  const script = [
    `${daemon} >'${folder}/dockerd.log' 2>&1 & daemon=$!; code=0`,
    `export DOCKER_HOST=unix://${folder}/socket`,
    "left=600; until docker version >/dev/null 2>&1 || [ $left = 0 ]; do left=$((left-1)); sleep 0.1; done",
    `${attempt("docker", built.archive)} || { code=$?; tail -n 20 '${folder}/dockerd.log'; }`,
    "kill $daemon; wait $daemon; exit $code",
  ].join("\n");
  const apart = ["unshare", "--net", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"];
  const own = "mount -t tmpfs tmpfs /run && mount -t tmpfs tmpfs /var/lib";
  const { code, output } = await runThrough([...apart, "sh", "-c", `${own}\n${script}`], {
    PATH: searchPathOf(packages),
    ...packages.environment,
  });
  assert.equal(code, 0, output);
  assert.match(output, usage);
});
