import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** How the other programs of this build are started. */
export interface Programs {
  readonly engine: readonly string[];
  readonly weights: readonly string[];
  readonly gateway: readonly string[];
  /** Sends load to a model server and measures it. */
  readonly load: readonly string[];
  /** Holds models on a node of a cluster. */
  readonly nodeAgent: readonly string[];
}

/** Beside a bundle lie the bundles of the others; sources are started as they are. */
export function ownPrograms(): Programs {
  const here = fileURLToPath(import.meta.url);
  const isBundle = here.endsWith(".mjs");
  const start = (name: string, flags: readonly string[] = []): readonly string[] => {
    const path = isBundle ? join(dirname(here), `${name}.mjs`) : fileURLToPath(mainOf(name));
    return [process.execPath, ...flags, path];
  };
  // A small nursery drops buffers sooner: neither downloads nor streams keep anything for long.
  return {
    engine: start("engine"),
    weights: start("weights", ["--max-semi-space-size=1"]),
    load: start("load"),
    gateway: start("gateway", ["--max-semi-space-size=8"]),
    nodeAgent: start("node-agent", ["--max-semi-space-size=1"]),
  };
}

/** The agent of a node is a part of this package; the others are packages of their own. */
const mainOf = (name: string): string =>
  name === "node-agent"
    ? new URL("./node-agent/main.ts", import.meta.url).href
    : new URL("./main.ts", import.meta.resolve(`@trivium/${name}`)).href;

/** The checkout that this build is of: one step up from a bundle, three from a source. */
export function checkoutFolder(): string | undefined {
  const here = dirname(fileURLToPath(import.meta.url));
  return [join(here, ".."), join(here, "../../..")].find((root) =>
    existsSync(join(root, "examples", "models", "demo")),
  );
}
