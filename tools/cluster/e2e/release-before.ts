import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { thisCheckout } from "./installed.ts";

/** What is upgraded from where the repository has no tag; set it to the commit of a release with each release. */
const pinned = "9cbbc6c6";
/** Another commit or tag to upgrade from. */
const chosen = process.env.TRIVIUM_UPGRADE_FROM;

const git = (...args: string[]) => spawnSync("git", args, { cwd: thisCheckout, maxBuffer: 1 << 30 });

/** The release before this one as a folder, or why this checkout does not have it. */
export function unpackReleaseBefore(folder: string): { readonly checkout: string } | { readonly why: string } {
  const tag = git("describe", "--tags", "--abbrev=0", "HEAD^");
  const commit = chosen || (tag.status === 0 ? String(tag.stdout).trim() : pinned);
  const archive = git("archive", "--format=tar", commit);
  if (archive.status !== 0)
    return { why: `the release before (${commit}) is not in this checkout; run git fetch --unshallow` };
  const checkout = join(folder, "before");
  mkdirSync(checkout);
  const { status } = spawnSync("tar", ["-x", "-C", checkout], { input: archive.stdout });
  if (status !== 0) return { why: "tar cannot unpack the release before; install tar" };
  return install(checkout) ? { checkout } : { why: "npm ci fails in the release before" };
}

/** With the same lock file the packages of this checkout are the ones it needs. */
function install(checkout: string): boolean {
  const [own, before] = [thisCheckout, checkout].map((place) => readFileSync(join(place, "package-lock.json"), "utf8"));
  if (own !== before)
    return spawnSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: checkout, stdio: ["ignore", 2, 2] }).status === 0;
  const modules = join(thisCheckout, "node_modules");
  mkdirSync(join(checkout, "node_modules", "@trivium"), { recursive: true });
  for (const name of readdirSync(modules).filter((each) => each !== "@trivium"))
    symlinkSync(join(modules, name), join(checkout, "node_modules", name));
  // Packages of the repository itself are links that lead to its own sources.
  for (const name of readdirSync(join(modules, "@trivium"))) {
    const target = readlinkSync(join(modules, "@trivium", name));
    symlinkSync(target, join(checkout, "node_modules", "@trivium", name));
  }
  return true;
}
