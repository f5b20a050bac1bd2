// Tests against a real Kubernetes control plane: starts one, runs every `*.cluster.ts`, stops it. With `KUBECONFIG_UNDER_TEST`
// the cluster of that kubeconfig is used instead, also by the tests that need controllers. With arguments, only the files whose path contains one of them.
import { spawn, spawnSync } from "node:child_process";
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NoCluster } from "../tools/cluster/build.ts";
import { startCluster, stopCluster } from "../tools/cluster/cluster.ts";
import { givenKubeconfig, withoutControllers } from "../tools/cluster/given.ts";

const wanted = process.argv.slice(2);
const places = ["packages/*/*/tests", "apps/*/tests", "tools"];
const files = globSync(places.map((place) => `${place}/**/*.cluster.ts`))
  .filter((path) => !path.includes("node_modules"))
  .filter((path) => wanted.length === 0 || wanted.some((word) => path.includes(word)))
  .sort();

const started = Date.now();
const given = givenKubeconfig("any");
process.exitCode =
  given === undefined ? await withOwnCluster(runTests) : await runTests({ KUBECONFIG_UNDER_TEST: given });
console.log(`tests against a cluster took ${Math.round((Date.now() - started) / 1000)} s`);

/** Whatever happens in between, what was started here ends here. */
async function withOwnCluster(use: (env: Record<string, string>) => Promise<number>): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "trivium-cluster-"));
  const stop = async (): Promise<void> => {
    await stopCluster(folder);
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => void stop().finally(() => process.exit(130)));
  }
  try {
    const { kubeconfig } = await startCluster({ folder, controllers: false, print: console.error });
    return await use({ KUBECONFIG_UNDER_TEST: kubeconfig, ...withoutControllers });
  } catch (error) {
    if (!(error instanceof NoCluster)) throw error;
    console.log(`no tests against a cluster: ${error.message}`);
    return process.env.CI !== undefined && hasGo() ? 1 : 0;
  } finally {
    await stop();
  }
}

function hasGo(): boolean {
  return spawnSync("go", ["version"]).status === 0;
}

function runTests(env: Record<string, string>): Promise<number> {
  console.log(`tests against a cluster: ${files.length} files`);
  const args = ["--test", "--test-reporter=spec", "--test-concurrency=1", "--test-timeout=600000", ...files];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, ...env },
    });
    child.on("exit", (code) => resolve(code ?? 1));
  });
}
