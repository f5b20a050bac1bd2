// Images and artifacts in a real registry, packed and pushed by the programs that people use for it.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { debianPackages, type Packages, programOf } from "@trivium/testkit";

const execute = promisify(execFile);

export type Packer = Extract<Packages, { is: "there" }>;

export function imagePacker(): Promise<Packages> {
  return debianPackages("skopeo", "umoci");
}

export interface ImageOptions {
  /** An empty folder to build in. */
  readonly folder: string;
  /** `host:port/name:tag` */
  readonly to: string;
  readonly architecture: string;
  /** Each becomes a layer: a folder of this machine, put at a place of the image; or a place that vanishes. */
  readonly layers: readonly ({ readonly from: string; readonly at: string } | { readonly gone: string })[];
  readonly login?: string;
}

export async function pushImage(
  packer: Packer,
  { folder, to, architecture, layers, login }: ImageOptions,
): Promise<void> {
  const image = join(folder, "image:v1");
  const env = { ...packer.environment, PATH: process.env.PATH ?? "", HOME: folder };
  const umoci = (...args: string[]) => execute(programOf(packer, "umoci"), args, { env, cwd: folder });
  await umoci("init", "--layout", join(folder, "image"));
  await umoci("new", "--image", image);
  await umoci("config", "--image", image, "--architecture", architecture, "--os", "linux");
  for (const layer of layers) {
    if ("gone" in layer) await umoci("insert", "--image", image, "--whiteout", layer.gone);
    else await umoci("insert", "--rootless", "--image", image, layer.from, layer.at);
  }
  const credentials = login === undefined ? [] : ["--dest-creds", login];
  const args = ["--insecure-policy", "copy", "--quiet", "--dest-tls-verify=false", ...credentials];
  await execute(programOf(packer, "skopeo"), [...args, `oci:${image}`, `docker://${to}`], { env, cwd: folder });
}

export interface ArtifactLayer {
  readonly content: Buffer;
  readonly mediaType: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Pushes an artifact as ORAS does: a blob for each layer, then the manifest. Returns the manifest's digest. */
export async function pushArtifact(base: string, tag: string, layers: readonly ArtifactLayer[]): Promise<string> {
  const empty = Buffer.from("{}");
  for (const content of [empty, ...layers.map((layer) => layer.content)]) await pushBlob(base, content);
  const described = layers.map(({ content, mediaType, annotations }) => ({
    mediaType,
    digest: digestOf(content),
    size: content.length,
    ...(annotations === undefined ? {} : { annotations }),
  }));
  const config = { mediaType: "application/vnd.oci.empty.v1+json", digest: digestOf(empty), size: empty.length };
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  return pushManifest(base, tag, { schemaVersion: 2, mediaType, config, layers: described });
}

export async function pushManifest(
  base: string,
  tag: string,
  manifest: Readonly<Record<string, unknown>>,
): Promise<string> {
  const body = JSON.stringify(manifest);
  const headers = { "content-type": String(manifest.mediaType) };
  const answer = await fetch(`${base}/manifests/${tag}`, { method: "PUT", headers, body });
  if (!answer.ok) throw new Error(`the registry refuses the manifest: ${await answer.text()}`);
  return digestOf(Buffer.from(body));
}

async function pushBlob(base: string, content: Buffer): Promise<void> {
  const begun = await fetch(`${base}/blobs/uploads/`, { method: "POST" });
  const place = new URL(begun.headers.get("location") ?? "", base);
  place.searchParams.set("digest", digestOf(content));
  const answer = await fetch(place, { method: "PUT", body: new Uint8Array(content) });
  if (!answer.ok) throw new Error(`the registry refuses a blob: ${await answer.text()}`);
}

export function digestOf(content: Buffer): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

/** A login helper of the kind that Docker's tools ask: it knows one host. */
export async function writeLoginHelper(
  path: string,
  host: string,
  login: { user: string; secret: string },
): Promise<void> {
  const answer = JSON.stringify({ ServerURL: host, Username: login.user, Secret: login.secret });
  const script = `#!/bin/sh\nread -r host\n[ "$1" = get ] && [ "$host" = '${host}' ] && printf '%s' '${answer}' && exit 0\necho none\nexit 1\n`;
  await writeFile(path, script, { mode: 0o755 });
}
