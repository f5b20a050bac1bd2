import { setTimeout as sleep } from "node:timers/promises";
import { createClient, type HttpAccess, httpTransport } from "@trivium/client";
import type { FaultProxy } from "@trivium/testkit";
import type { StagedNodes } from "../../../bench/control-plane/staged-nodes.ts";
import { interruptProcess } from "../processes.ts";
import type { Operators } from "./operators.ts";

export interface Targets {
  /** Where the cluster keeps its processes. */
  readonly folder: string;
  readonly access: HttpAccess;
  readonly proxy: FaultProxy;
  readonly operators: Operators;
  readonly nodes: StagedNodes;
  /** The namespace of the Lease. */
  readonly namespace: string;
  print(line: string): void;
}

/** One round of everything that fails on a cluster, spread over this many milliseconds. */
export async function playRound(round: number, time: number, targets: Targets): Promise<void> {
  const { operators, proxy, nodes, namespace, print } = targets;
  const pause = time / 5;
  const report = (what: string): void => print(`round ${round + 1}: ${what}`);
  report(`${proxy.cutWatches()} watches cut`);
  await sleep(pause);
  const bringBack = await nodes.remove(round % nodes.count);
  report(`node staged-${round % nodes.count} deleted`);
  await sleep(pause);
  operators.jumpClocks("ahead");
  report("the clocks of the operators jump by an hour");
  const leader = await operators.leader(namespace);
  const startServer = await interruptProcess(targets.folder, "kube-apiserver", "SIGKILL");
  report("API server killed");
  // In every other round a replica has to start while there is no server.
  if (round % 2 === 1) await replaceLeader(leader, operators, report);
  await sleep(pause);
  startServer();
  await untilServed(targets.access);
  report("API server started");
  if (round % 2 === 0) await replaceLeader(await operators.leader(namespace), operators, report);
  await sleep(pause);
  await bringBack();
  report(`node staged-${round % nodes.count} added`);
  await sleep(pause);
  operators.jumpClocks("back");
}

async function replaceLeader(leader: string, operators: Operators, report: (what: string) => void): Promise<void> {
  await operators.kill(leader);
  operators.start();
  report(`leader ${leader} killed, another replica started`);
}

async function untilServed(access: HttpAccess): Promise<void> {
  const transport = httpTransport(access);
  const client = createClient(transport);
  const isServed = (): Promise<boolean> =>
    client.discover().then(
      () => true,
      () => false,
    );
  while (!(await isServed())) await sleep(500);
  await transport.close();
}
