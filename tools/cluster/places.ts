import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const here = import.meta.dirname;
export const cacheRoot: string = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "trivium", "cluster");

/** The release of Kubernetes that is the judge, as `go.mod` pins it. */
export const kubernetesVersion: string =
  /k8s\.io\/kubernetes (v[\d.]+)/.exec(readFileSync(join(here, "go.mod"), "utf8"))?.[1] ?? "";

/** Everything that decides what the built programs are is in the two module files. */
const digest = createHash("sha256")
  .update(readFileSync(join(here, "go.mod")))
  .update(readFileSync(join(here, "go.sum")))
  .digest("hex")
  .slice(0, 12);

/** Where built programs are kept: outside the checkout, so that fresh clones find them. */
export const binaries: string = join(cacheRoot, `${kubernetesVersion}-${digest}`);

/** Where a running cluster keeps its data, keys and the list of its processes. */
export const defaultRunFolder: string = join(cacheRoot, "run");

export const moduleFolder: string = here;
