// A real Kubernetes control plane on this machine: `npm run cluster:up` and `npm run cluster:down`.
import { NoCluster } from "../tools/cluster/build.ts";
import { startCluster, stopCluster } from "../tools/cluster/cluster.ts";
import { defaultRunFolder } from "../tools/cluster/places.ts";

const [wish] = process.argv.slice(2);
if (wish === "down") {
  const stopped = await stopCluster(defaultRunFolder);
  console.log(stopped.length === 0 ? "no cluster was running" : `stopped ${stopped.join(", ")}`);
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
