// A control plane for whoever starts this program: prints one line of JSON that says how to reach it, and ends with its standard input,
// so that it never outlives its user. Used as `node tools/cluster/run.ts <folder>`. A cluster that was given is used instead.
import { NoCluster } from "./build.ts";
import { startCluster, stopCluster } from "./cluster.ts";
import { givenKubeconfig, openGiven } from "./given.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("name the folder for the data of the cluster");
const ended = new Promise<void>((resolve) => {
  process.stdin.on("end", resolve).on("close", resolve).resume();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
});
try {
  const given = givenKubeconfig("with controllers");
  const cluster =
    given === undefined
      ? await startCluster({ folder, controllers: true, print: console.error })
      : await openGiven(given, folder);
  console.log(JSON.stringify({ is: "ready", ...cluster }));
  await ended;
} catch (error) {
  if (!(error instanceof NoCluster)) throw error;
  console.log(JSON.stringify({ is: "impossible", why: error.message }));
} finally {
  await stopCluster(folder);
}
process.exit();
