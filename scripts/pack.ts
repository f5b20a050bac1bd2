/**
 * Makes the npm package, which `npm install -g` installs without a checkout.
 *
 *   npm run pack [folder]     writes trivium-<version>.tgz into dist, or into the folder
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import manifest from "../package.json" with { type: "json" };
import engine from "../packages/platform/engine/package.json" with { type: "json" };
import { buildPrograms, nativeBinding } from "./bundles.ts";
import { buildPages, pagePackages } from "./dashboard-pages.ts";
import { bundledPackages, licenceOf } from "./package/licences.ts";
import { run } from "./run.ts";

const target = resolve(process.argv[2] ?? "dist");
mkdirSync("dist", { recursive: true });
const folder = mkdtempSync(join("dist", "package-"));

/** The binding's own manifest names every variant for every platform; only those below are installed. */
const natives = ["darwin-arm64", "linux-arm64", "linux-x64"].map((platform) => `@fugood/node-llama-${platform}`);

function packageManifest(): object {
  const { name, version, description, license, type, engines } = manifest;
  const binding = engine.dependencies[nativeBinding];
  return {
    ...{ name, version, description, license, type, engines },
    bin: { trivium: "bin/trivium.mjs", "kubectl-trivium": "bin/kubectl-trivium.mjs" },
    files: ["bin", "dist", "examples", "licenses"],
    dependencies: { [nativeBinding]: binding },
    // Its scripts without its C++ sources, which are several times larger than everything else here.
    bundleDependencies: [nativeBinding],
    optionalDependencies: {
      ...Object.fromEntries(natives.map((each) => [each, binding])),
      ...engine.optionalDependencies,
      ...manifest.optionalDependencies,
    },
  };
}

function copyBinding(): void {
  const [from, to] = [join("node_modules", nativeBinding), join(folder, "node_modules", nativeBinding)];
  const { name, version, license, main } = JSON.parse(readFileSync(join(from, "package.json"), "utf8")) as Record<
    string,
    string
  >;
  cpSync(join(from, "lib"), join(to, "lib"), {
    recursive: true,
    filter: (path) => !/\.(ts|mjs)$/.test(path),
  });
  writeFileSync(join(to, "package.json"), `${JSON.stringify({ name, version, license, main }, null, 2)}\n`);
}

function copyLicences(names: readonly string[]): void {
  for (const name of names) {
    const path = licenceOf(name);
    if (path === undefined) continue;
    mkdirSync(join(folder, "licenses", name), { recursive: true });
    cpSync(path, join(folder, "licenses", name, "LICENSE"));
  }
}

const results = await buildPrograms(join(folder, "dist"), { metafile: true, minifyIdentifiers: true, keepNames: true });
const fault = buildPages(join(folder, "dist", "dashboard"));
if (fault !== undefined) throw new Error(`the pages of the dashboard cannot be built: ${fault}`);
writeFileSync(join(folder, "package.json"), `${JSON.stringify(packageManifest(), null, 2)}\n`);
for (const file of ["trivium.mjs", "kubectl-trivium.mjs"])
  cpSync(join("scripts/package", file), join(folder, "bin", file));
cpSync("scripts/package/README.md", join(folder, "README.md"));
cpSync("LICENSE", join(folder, "LICENSE"));
cpSync("examples", join(folder, "examples"), { recursive: true });
copyBinding();
copyLicences([...bundledPackages(results), ...pagePackages, nativeBinding]);
process.exitCode = await run("/usr/bin/env", ["npm", "pack", "--silent", `./${folder}`, "--pack-destination", target]);
rmSync(folder, { recursive: true, force: true });
