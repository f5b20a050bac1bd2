import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { arch, tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { NoCluster } from "../build.ts";
import { type Cluster, startCluster, stopCluster } from "../cluster.ts";
import { ensureHelm, isHelmBuilt } from "../helm/helm.ts";
import { importImages } from "../node/images.ts";
import { isNodeBuilt, readRecord } from "../node/node.ts";

const repository = join(import.meta.dirname, "../../..");
const run = promisify(execFile);

/** A real cluster with a real node, on which Helm installs Trivium from images of its own. */
export interface RealCluster extends Omit<Cluster, "kubectl"> {
  readonly folder: string;
  /** The machine's address, as pods reach it. */
  readonly host: string;
  kubectl(args: readonly string[], input?: string): Promise<string>;
  helm(...args: string[]): Promise<string>;
  /** Builds the images of a checkout and loads them into the node. Resolves with their registry. */
  load(checkout: string, registry: string): Promise<void>;
}

/** `npm run test:node` builds what is missing; other runs do not wait minutes for that. */
const mayBuild = process.env.TRIVIUM_NODE === "build";

/** Starts one that ends with the test, or skips the test with the reason. */
export async function startOrSkip(t: TestContext): Promise<RealCluster | undefined> {
  if (!mayBuild && !(isNodeBuilt() && isHelmBuilt())) {
    t.skip("kubelet and Helm are not built on this machine; run npm run test:node");
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "trivium-e2e-"));
  t.after(async () => {
    await stopCluster(folder);
    rmSync(folder, { recursive: true, force: true });
  });
  try {
    const print = (line: string): void => t.diagnostic(line);
    const helm = ensureHelm(print);
    return opened(await startCluster({ folder, controllers: true, node: true, print }), { folder, helm });
  } catch (error) {
    if (!(error instanceof NoCluster)) throw error;
    t.skip(error.message);
    return undefined;
  }
}

function opened(cluster: Cluster, { folder, helm }: { folder: string; helm: string }): RealCluster {
  const env = { ...process.env, KUBECONFIG: cluster.kubeconfig, HOME: folder };
  const call = async (program: string, args: readonly string[], input = ""): Promise<string> => {
    const running = run(program, args, { env, timeout: 300_000, maxBuffer: 1 << 26 });
    running.child.stdin?.end(input);
    return (await running).stdout;
  };
  return {
    ...cluster,
    folder,
    host: readRecord(folder).network.host,
    kubectl: (args, input) => call(cluster.kubectl, args, input),
    helm: (...args) => call(helm, args),
    load: async (checkout, registry) => loadImages({ checkout, registry, folder }),
  };
}

/** Builds the images of a checkout and loads them into the node of the cluster in this folder. */
export function loadImages({
  checkout,
  registry,
  folder,
}: {
  checkout: string;
  registry: string;
  folder: string;
}): void {
  const output = mkdtempSync(join(folder, "images-"));
  const architecture = arch() === "arm64" ? "arm64" : "amd64";
  const wanted = ["--platform", `linux/${architecture}`, "--registry", registry, "--output", output];
  const { status, stderr } = spawnSync(process.execPath, ["scripts/images.ts", ...wanted], {
    cwd: checkout,
    encoding: "utf8",
  });
  if (status !== 0) throw new NoCluster(`the images of ${checkout} cannot be built: ${stderr.trim()}`);
  importImages(folder, join(output, `trivium-${architecture}.tar`));
  rmSync(output, { recursive: true });
}

export const thisCheckout: string = repository;
