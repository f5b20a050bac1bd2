import { describeLeftPods, findDashboard, findRunning, listLeftPods, type RunRecord } from "@trivium/local";
import { get } from "../get/command.ts";
import { print, printData } from "../print.ts";
import { printAddresses } from "./command.ts";

/** No control plane runs. */
const stoppedExitCode = 3;

/** Whether the control plane of this machine runs, where, and its services. */
export async function printStatus(home: string): Promise<void> {
  const running = findRunning(home);
  if (running === undefined) {
    console.log("no control plane runs; start it with trivium up -d");
    const left = await listLeftPods(home);
    if (left.length > 0)
      console.log(`${describeLeftPods(left)} still running; stop with trivium down, or take over with trivium up -d`);
    process.exitCode = stoppedExitCode;
    return;
  }
  const { url, pid, kubeconfig, startedAt } = running;
  console.log(`control plane   ${url}, process ${pid}, since ${startedAt}`);
  printAddresses(running, home);
  console.log(`kubeconfig      ${kubeconfig}\n`);
  await get({ kubeconfig, allNamespaces: true, output: "table" }, print);
}

/** The same for programs; services are as in `get -o json`. */
export async function printStatusData(home: string): Promise<void> {
  const running = findRunning(home);
  if (running === undefined) process.exitCode = stoppedExitCode;
  const status = running === undefined ? await describeStopped(home) : await describeRunning(running, home);
  printData(`${JSON.stringify(status, null, 2)}\n`);
}

const describeStopped = async (home: string) => ({ running: false, podsLeft: (await listLeftPods(home)).length });

async function describeRunning(record: RunRecord, home: string) {
  const { url, pid, startedAt, kubeconfig, ports } = record;
  const dashboard = findDashboard(home, record);
  let services = "[]";
  await get({ kubeconfig, allNamespaces: true, output: "json" }, (text) => {
    services = text;
  });
  return {
    running: true,
    controlPlane: { url, pid, startedAt, kubeconfig },
    gateway: `http://127.0.0.1:${ports.gateway}`,
    ...(dashboard === undefined ? {} : { dashboard }),
    services: JSON.parse(services),
  };
}
