import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { access, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { cacheFolder, type Packages } from "./debian.ts";

const execute = promisify(execFile);

/**
 * Python packages in a folder of their own outside the checkout, for a Python that the machine has. Run `python3` with the environment
 * that comes with them.
 */
export async function pythonPackages(...names: readonly string[]): Promise<Packages> {
  if (process.env.TRIVIUM_PACKAGES === "off") return { is: "missing", why: "TRIVIUM_PACKAGES=off" };
  try {
    const script = "import sys; print('%d.%d' % sys.version_info[:2])";
    const version = (await execute("python3", ["-c", script], { timeout: 120_000 })).stdout.trim();
    const key = createHash("sha256")
      .update([...names].sort().join(" "))
      .digest("hex")
      .slice(0, 16);
    const root = join(cacheFolder(), `python-${version}-${process.arch}`, key);
    const isThere = await access(root).then(
      () => true,
      () => false,
    );
    if (!isThere) await install(names, root);
    return { is: "there", root, environment: { PYTHONPATH: root, PYTHONNOUSERSITE: "1" } };
  } catch (error) {
    const text = String((error as { stderr?: unknown }).stderr || (error instanceof Error ? error.message : error));
    const line = text.split("\n").findLast((each) => each.trim() !== "") ?? "";
    return { is: "missing", why: `${names.join(", ")}: ${line.trim()}` };
  }
}

async function install(names: readonly string[], root: string): Promise<void> {
  const fresh = `${root}.${process.pid}.new`;
  await mkdir(fresh, { recursive: true });
  try {
    const quiet = ["--quiet", "--disable-pip-version-check", "--no-input", "--root-user-action=ignore"];
    await execute("python3", ["-m", "pip", "install", ...quiet, "--target", fresh, ...names], { timeout: 600_000 });
    await rename(fresh, root).catch(() => access(root));
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}
