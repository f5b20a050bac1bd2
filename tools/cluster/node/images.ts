import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { file, folder, link, writeTar } from "../../images/archive.ts";
import { sha256Of } from "../../images/sources.ts";
import { containerdSocket, pauseImage } from "./configuration.ts";
import { enter } from "./node.ts";
import { run } from "./programs.ts";

/** Small images that a cluster takes for granted: the one below every pod, and one with a shell. */
const toolImages = [pauseImage, "docker.io/library/busybox:1.37.0"];

/** Writes them as an archive: one program without libraries, under the names of the commands that it knows. */
export function writeToolImages(place: string, packages: string): string {
  const busybox = readFileSync(join(packages, "bin", "busybox"));
  const commands = run(join(packages, "bin", "busybox"), ["--list"])
    .trim()
    .split("\n");
  const names = commands.filter((name) => name !== "busybox").map((name) => link(`bin/${name}`, "busybox"));
  const entries = [folder("bin"), file("bin/busybox", busybox, 0o755), folder("tmp", 0o1777), ...names];
  const layer = writeTar(entries, 0);
  const config = JSON.stringify({
    architecture: process.arch === "arm64" ? "arm64" : "amd64",
    os: "linux",
    config: { Entrypoint: ["/bin/sleep"], Cmd: ["2147483647"], Env: ["PATH=/bin"] },
    rootfs: { type: "layers", diff_ids: [`sha256:${sha256Of(layer)}`] },
  });
  const manifest = JSON.stringify([{ Config: "config.json", RepoTags: toolImages, Layers: ["layer.tar"] }]);
  const archive = [file("manifest.json", manifest), file("config.json", config), file("layer.tar", layer)];
  const path = join(place, "tool-images.tar");
  writeFileSync(path, writeTar(archive, 0));
  return path;
}

/** Loads the images of an archive into the container runtime of a node. */
export function importImages(folder: string, archive: string): string[] {
  const ctr = ["ctr", "--namespace", "k8s.io", "--address", containerdSocket];
  const output = run("nsenter", enter(folder, [...ctr, "images", "import", resolve(archive)]));
  return [...output.matchAll(/unpacking (\S+)/g)].map(([, name = ""]) => name);
}
