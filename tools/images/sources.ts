import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { type Entry, readAr, readTar } from "./archive.ts";
import type { DebianPackage } from "./debian-packages.ts";

/** Why this machine cannot build images; for the line that says a test was skipped. */
export class NoImages extends Error {
  constructor(why: string) {
    super(why);
    this.name = "NoImages";
  }
}

/** Downloads are kept outside the checkout, under their digests. */
export const cacheFolder: string = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "trivium", "images");

/** Mirrors keep the current packages, the archive of snapshots every package there ever was. */
const mirrors = [
  process.env.DEBIAN_MIRROR ?? "https://deb.debian.org",
  "https://snapshot.debian.org/archive/20260901T000000Z",
];

export interface Unpacked {
  readonly control: string;
  readonly entries: readonly Entry[];
}

/** A Debian package, downloaded once, compared with its digest and unpacked in memory. */
export async function unpackDebian(debian: DebianPackage): Promise<Unpacked> {
  const archive = await cached(debian.sha256, () => download(debian));
  const members = readAr(archive);
  const member = (name: string): Entry[] => {
    const found = [...members.keys()].find((key) => key.startsWith(`${name}.tar`)) ?? "";
    return readTar(decompress(members.get(found) ?? Buffer.alloc(0), found));
  };
  const control = member("control").find(({ path }) => path === "control");
  return { control: String(control?.content ?? ""), entries: member("data") };
}

async function download({ path, sha256 }: DebianPackage): Promise<Buffer> {
  const refused: string[] = [];
  for (const mirror of mirrors) {
    const answer = await fetch(`${mirror}/${path}`).catch((error: Error) => error);
    if (answer instanceof Error) refused.push(`${mirror}: ${String(answer.cause ?? answer.message)}`);
    else if (!answer.ok) refused.push(`${mirror}: ${answer.status}`);
    else {
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (sha256Of(bytes) === sha256) return bytes;
      refused.push(`${mirror}: other bytes than sha256 ${sha256}`);
    }
  }
  throw new NoImages(`cannot download ${path} (${refused.join("; ")}); set DEBIAN_MIRROR to a mirror that has it`);
}

function decompress(bytes: Buffer, name: string): Buffer {
  if (name.endsWith(".gz")) return gunzipSync(bytes);
  if (name.endsWith(".tar")) return bytes;
  const { status, stdout, error } = spawnSync("xz", ["-dc"], { input: bytes, maxBuffer: 1 << 30 });
  if (status !== 0)
    throw new NoImages(`xz cannot decompress ${name} (${error?.message ?? `exit code ${status}`}); install xz-utils`);
  return stdout;
}

/** The files of an npm package: from `node_modules` where it is installed, else from the registry, compared with the lock file. */
export async function unpackNpm(name: string): Promise<Entry[]> {
  const { version, integrity } = lockedPackage(name);
  const digest = createHash("sha256").update(integrity).digest("hex");
  const archive = await cached(digest, () => Promise.resolve(pack(name, version, integrity)), "any bytes");
  return readTar(gunzipSync(archive)).map((entry) => ({ ...entry, path: entry.path.replace(/^[^/]+\//, "") }));
}

/** The version and digest of a package in the lock file. */
export function lockedPackage(name: string): { version: string; integrity: string; license: string } {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
    packages: Record<string, { version: string; integrity: string; license?: string }>;
  };
  const found = lock.packages[`node_modules/${name}`];
  if (found === undefined) throw new Error(`${name} is not in package-lock.json`);
  return { ...found, license: found.license ?? "NOASSERTION" };
}

function pack(name: string, version: string, integrity: string): Buffer {
  mkdirSync(cacheFolder, { recursive: true });
  const place = mkdtempSync(join(cacheFolder, ".pack-"));
  try {
    const args = ["pack", `${name}@${version}`, "--silent", "--pack-destination", place];
    const { status, error } = spawnSync("npm", args, { stdio: ["ignore", "ignore", 2] });
    const [archive] = readdirSync(place);
    if (status !== 0 || archive === undefined)
      throw new NoImages(`npm pack ${name}@${version} failed${error === undefined ? "" : `: ${error.message}`}`);
    const bytes = readFileSync(join(place, archive));
    const actual = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
    if (actual !== integrity) throw new NoImages(`${name}@${version} has other bytes than package-lock.json says`);
    return bytes;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Bytes under a name, made once; what was kept under its own digest is compared with it again. */
export async function cached(
  key: string,
  make: () => Promise<Buffer>,
  holds: "its digest" | "any bytes" = "its digest",
): Promise<Buffer> {
  const path = join(cacheFolder, key);
  if (existsSync(path)) {
    const kept = readFileSync(path);
    if (holds === "any bytes" || sha256Of(kept) === key) return kept;
  }
  const made = await make();
  mkdirSync(cacheFolder, { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, made);
  renameSync(unfinished, path);
  return made;
}

export const sha256Of = (bytes: Buffer | string): string => createHash("sha256").update(bytes).digest("hex");
