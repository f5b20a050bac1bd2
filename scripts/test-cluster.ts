// Tests against a real Kubernetes control plane: starts one, runs every `*.cluster.ts`, stops it. With `KUBECONFIG_UNDER_TEST`
// the cluster of that kubeconfig is used instead, also by the tests that need controllers. Beside them all stories are played on the
// embedded server. With arguments, only the files whose path contains one of them.
import { type ChildProcess, spawnSync } from "node:child_process";
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NoCluster } from "../tools/cluster/build.ts";
import { startCluster, stopCluster } from "../tools/cluster/cluster.ts";
import { givenKubeconfig, withoutControllers } from "../tools/cluster/given.ts";
import { repeatFailed, runTestFiles, type TestRun } from "./test-files.ts";

const wanted = process.argv.slice(2);
const places = ["packages/*/*/tests", "apps/*/tests", "tools"];
// A plain `npm test` plays only a few stories on the embedded server; here all of them are.
const names = ["*.cluster.ts", "*stories.test.ts"];
const files = globSync(places.flatMap((place) => names.map((name) => `${place}/**/${name}`)))
  .filter((path) => !path.includes("node_modules"))
  .filter((path) => wanted.length === 0 || wanted.some((word) => path.includes(word)))
  .sort();

const started = Date.now();
const lanesRunning = new Set<ChildProcess>();
const given = givenKubeconfig("any");
process.exitCode = await repeatFailed(await runOnCluster(runTests), (failed) =>
  runOnCluster((env) => runLane(failed, { env })),
);
console.log(`tests against a cluster took ${Math.round((Date.now() - started) / 1000)} s`);

function runOnCluster(use: (env: Record<string, string>) => Promise<TestRun>): Promise<TestRun> {
  return given === undefined ? withOwnCluster(use) : use({ KUBECONFIG_UNDER_TEST: given });
}

/** Whatever happens in between, what was started here ends here. */
async function withOwnCluster(use: (env: Record<string, string>) => Promise<TestRun>): Promise<TestRun> {
  const folder = mkdtempSync(join(tmpdir(), "trivium-cluster-"));
  const stop = async (): Promise<void> => {
    await stopCluster(folder);
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      // They have control planes of their own to stop.
      for (const lane of lanesRunning) lane.kill("SIGINT");
      void stop().finally(() => process.exit(130));
    });
  }
  try {
    const { kubeconfig } = await startCluster({ folder, controllers: false, print: console.error });
    return await use({ KUBECONFIG_UNDER_TEST: kubeconfig, ...withoutControllers });
  } catch (error) {
    if (!(error instanceof NoCluster)) throw error;
    console.log(`no tests against a cluster: ${error.message}`);
    return { code: process.env.CI !== undefined && hasGo() ? 1 : 0, failed: [], passed: [] };
  } finally {
    await stop();
  }
}

function hasGo(): boolean {
  return spawnSync("go", ["version"]).status === 0;
}

/**
 * Stories have control planes of their own and mostly wait, so they are played beside everything else, those of AIM beside those of the
 * others; on a cluster that was given, all have the same one and go one after the other.
 */
async function runTests(env: Record<string, string>): Promise<TestRun> {
  console.log(`tests against a cluster: ${files.length} files`);
  const laneOf = (path: string): string =>
    /stories[^/]*\.cluster\.ts$/.test(path) ? (path.includes("dialects/aim/") ? "AIM's stories" : "stories") : "others";
  const lanes = given === undefined ? [...Map.groupBy(files, laneOf).values()] : [files];
  // What the first lane prints is shown at once, what another prints at its end.
  const runs = await Promise.all(
    lanes.map((lane, at) => runLane(lane, { env, output: at === 0 ? "at once" : "at end" })),
  );
  return {
    code: runs.find(({ code }) => code !== 0)?.code ?? 0,
    failed: runs.flatMap(({ failed }) => failed),
    passed: runs.flatMap(({ passed }) => passed),
  };
}

function runLane(
  lane: readonly string[],
  options: { readonly env: Record<string, string>; readonly output?: "at once" | "at end" },
): Promise<TestRun> {
  return runTestFiles(lane, {
    ...options,
    args: ["--test-concurrency=1", "--test-timeout=1500000"],
    onStart: (child) => {
      lanesRunning.add(child);
      return () => lanesRunning.delete(child);
    },
  });
}
