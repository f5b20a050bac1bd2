// Builds the controllers of other projects that tests run beside the operator, where this machine has not built them:
//   npm run cluster:neighbours
import { NoCluster } from "../tools/cluster/build.ts";
import { ensureLeaderWorkerSet } from "../tools/cluster/neighbours/leader-worker-set.ts";

try {
  console.log(`LeaderWorkerSet  ${ensureLeaderWorkerSet(console.error)}`);
} catch (error) {
  if (!(error instanceof NoCluster)) throw error;
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
