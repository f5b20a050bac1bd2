// A real Kubernetes control plane on this machine: `npm run cluster:up` and `npm run cluster:down`.
import { NoCluster } from "../tools/cluster/build.ts";
import { startCluster, stopCluster } from "../tools/cluster/cluster.ts";
import { givenKubeconfig, versionOf } from "../tools/cluster/given.ts";
import { defaultRunFolder } from "../tools/cluster/places.ts";

const [request] = process.argv.slice(2);
const given = givenKubeconfig("any");
if (request === "down") {
  const stopped = await stopCluster(defaultRunFolder);
  console.log(stopped.length === 0 ? "no cluster was running" : `stopped ${stopped.join(", ")}`);
} else if (given !== undefined) {
  await confirm(given);
} else {
  try {
    const cluster = await startCluster({ folder: defaultRunFolder, controllers: true, print: console.error });
    console.log(`cluster      ${cluster.url}`);
    console.log(`next         export KUBECONFIG=${cluster.kubeconfig}`);
  } catch (error) {
    if (!(error instanceof NoCluster)) throw error;
    console.error(`error: ${error.message}`);
    process.exitCode = 1;
  }
}

/** Nothing is started beside a cluster that was given: it only has to answer. */
async function confirm(kubeconfig: string): Promise<void> {
  try {
    console.log(`cluster      ${await versionOf(kubeconfig)}, given by KUBECONFIG_UNDER_TEST; nothing was started`);
    console.log(`next         export KUBECONFIG=${kubeconfig}`);
  } catch (error) {
    console.error(`error: the cluster of KUBECONFIG_UNDER_TEST (${kubeconfig}) does not answer: ${String(error)}`);
    process.exitCode = 1;
  }
}
