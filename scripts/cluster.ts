// A real Kubernetes control plane on this machine, with `--node` a real node too: `npm run cluster:up` and `npm run cluster:down`.
import { parseArgs } from "node:util";
import { NoCluster } from "../tools/cluster/build.ts";
import { startCluster, stopCluster } from "../tools/cluster/cluster.ts";
import { givenKubeconfig, versionOf } from "../tools/cluster/given.ts";
import { ensureHelm } from "../tools/cluster/helm/helm.ts";
import { importImages } from "../tools/cluster/node/images.ts";
import { defaultRunFolder } from "../tools/cluster/places.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    node: { type: "boolean", default: false },
    load: { type: "string", multiple: true, default: [] },
    folder: { type: "string", default: defaultRunFolder },
  },
});
const [request] = positionals;
const given = givenKubeconfig("any");
if (request === "down") {
  const stopped = await stopCluster(values.folder);
  console.log(stopped.length === 0 ? "no cluster was running" : `stopped ${stopped.join(", ")}`);
} else if (given !== undefined) {
  await confirm(given);
} else {
  try {
    await start();
  } catch (error) {
    if (!(error instanceof NoCluster)) throw error;
    console.error(`error: ${error.message}`);
    process.exitCode = 1;
  }
}

async function start(): Promise<void> {
  const { folder, node } = values;
  try {
    const cluster = await startCluster({ folder, node, controllers: true, print: console.error });
    console.log(`cluster      ${cluster.url}`);
    if (node) console.log(`helm         ${ensureHelm(console.error)}`);
    for (const archive of values.load) console.log(`loaded       ${importImages(folder, archive).join(", ")}`);
    console.log(`next         export KUBECONFIG=${cluster.kubeconfig}`);
  } catch (error) {
    // What was started before the failure would hold interfaces and memory.
    await stopCluster(folder);
    throw error;
  }
}

/** Nothing is started beside a cluster that was given: it only has to respond. */
async function confirm(kubeconfig: string): Promise<void> {
  try {
    console.log(`cluster      ${await versionOf(kubeconfig)}, given by KUBECONFIG_UNDER_TEST; nothing was started`);
    console.log(`next         export KUBECONFIG=${kubeconfig}`);
  } catch (error) {
    console.error(`error: the cluster of KUBECONFIG_UNDER_TEST (${kubeconfig}) does not respond: ${String(error)}`);
    process.exitCode = 1;
  }
}
