import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { CustomResourceDefinition } from "@trivium/kube";
import { parseAllDocuments } from "yaml";
import { NoCluster } from "../build.ts";
import { binaries } from "../places.ts";
import { type ThirdPartyApiModule, thirdPartyApiModules } from "./modules.ts";

const digest = createHash("sha256").update(JSON.stringify(thirdPartyApiModules)).digest("hex").slice(0, 12);

/** Where the CRDs are kept once they were taken out of the modules: beside the programs of the control plane. */
export const thirdPartyApiFolder: string = join(dirname(binaries), `neighbours-${digest}`);

/** The CRDs of the neighbours, word for word as upstream publishes them; fetched the first time. */
export function thirdPartyApiDefinitions(print: (line: string) => void): CustomResourceDefinition[] {
  if (!existsSync(thirdPartyApiFolder)) extractAll(print);
  return readdirSync(thirdPartyApiFolder)
    .sort()
    .map((file) => JSON.parse(readFileSync(join(thirdPartyApiFolder, file), "utf8")) as CustomResourceDefinition);
}

function extractAll(print: (line: string) => void): void {
  if (spawnSync("go", ["version"]).status !== 0)
    throw new NoCluster("there is no Go on this machine to fetch the CRDs of our neighbours with");
  const unfinished = `${thirdPartyApiFolder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    for (const each of thirdPartyApiModules) {
      print(`taking CRDs from ${each.module} ${each.version}`);
      for (const crd of definitionsOf(each, download(each)))
        writeFileSync(join(unfinished, `${crd.metadata.name}.json`), JSON.stringify(crd));
    }
    // Whoever was quicker wrote the same.
    if (!existsSync(thirdPartyApiFolder)) renameSync(unfinished, thirdPartyApiFolder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** The folder that Go keeps the module in. */
function download({ module, version, sum }: ThirdPartyApiModule): string {
  // Outside any module of ours, so that no go.mod of this checkout is asked or changed.
  const { stdout } = spawnSync("go", ["mod", "download", "-json", `${module}@${version}`], {
    encoding: "utf8",
    cwd: tmpdir(),
  });
  const answer = JSON.parse(stdout || "{}") as { Dir?: string; Sum?: string; Error?: string };
  if (answer.Dir === undefined)
    throw new NoCluster(`${module} ${version} could not be fetched: ${answer.Error ?? "go mod download failed"}`);
  if (answer.Sum !== sum)
    throw new Error(`${module} ${version} has checksum ${answer.Sum}, not ${sum}; see who published it anew, and why`);
  return answer.Dir;
}

function definitionsOf({ module, version, files }: ThirdPartyApiModule, folder: string): CustomResourceDefinition[] {
  return Object.entries(files).flatMap(([file, wanted]) => {
    const documents = parseAllDocuments(readFileSync(join(folder, file), "utf8"), { logLevel: "error" });
    const found = documents
      .map((document) => document.toJS({ maxAliasCount: 0 }) as CustomResourceDefinition | null)
      .filter((crd) => crd !== null)
      .filter((crd) => crd.kind === "CustomResourceDefinition" && wanted.includes(crd.metadata.name ?? ""));
    if (found.length !== wanted.length)
      throw new Error(`${file} of ${module} ${version} does not hold ${wanted.join(", ")}`);
    return found;
  });
}
