import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { formatMemory } from "@trivium/engines";
import { describeLeftPods, findGpus, findRunning, installedBuilds, listLeftPods, suggestBuild } from "@trivium/local";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** Below this not even a small model fits. */
const leastDisk = 5 * 1024 ** 3;
const freeDisk = "free some space; trivium models prune removes weights that nothing uses";

/** This machine: its control plane, its disk, its GPUs. */
export async function checkMachine(
  home: string,
  { isOnlyCluster }: { readonly isOnlyCluster: boolean },
): Promise<readonly Finding[]> {
  const running = findRunning(home);
  // Work on a cluster needs none on this machine.
  const stopped = isOnlyCluster ? problem : warning;
  const control =
    running === undefined
      ? stopped("control plane", "does not run on this machine", "start it with trivium up -d")
      : ok("control plane", `${running.url}, process ${running.pid}`);
  return [control, ...(await checkLeftPods(home)), await checkDisk(home), await checkGpus(home)];
}

/** Of a control plane that was killed. */
async function checkLeftPods(home: string): Promise<Finding[]> {
  const left = await listLeftPods(home);
  if (left.length === 0) return [];
  const fix = "stop with trivium down, or take over with trivium up -d";
  return [warning("pods of this machine", `${describeLeftPods(left)} running without a control plane`, fix)];
}

async function checkDisk(home: string): Promise<Finding> {
  let folder = home;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  const { bavail, bsize } = await statfs(folder);
  const found = `${formatMemory(bavail * bsize)} free in ${folder}`;
  return bavail * bsize >= leastDisk
    ? ok("disk", found)
    : problem("disk", `${found}, less than ${formatMemory(leastDisk)}`, freeDisk);
}

async function checkGpus(home: string): Promise<Finding> {
  const gpus = await findGpus();
  const names = gpus.map(({ vendor }) => vendor).join(", ");
  if (gpus.length === 0) return ok("GPUs of this machine", "none; models run on the CPU");
  const missing = suggestBuild(gpus, await installedBuilds(home));
  if (missing === undefined) return ok("GPUs of this machine", names);
  return warning(
    "GPUs of this machine",
    `${names}, without a build of the engine`,
    `run trivium engine add ${missing}`,
  );
}
