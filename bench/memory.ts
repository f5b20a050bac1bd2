import { spawn } from "node:child_process";
import { once } from "node:events";
import { loadavg } from "node:os";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, httpTransport, loadKubeconfig } from "@trivium/client";
import { type KubeClient, PersistentVolumeClaim } from "@trivium/kube";
import { type Fleet, fleets } from "./control-plane/fleets.ts";
import { type MeasuredOperator, startMeasuredOperator } from "./control-plane/measured-operator.ts";
import { inParallel } from "./llmkube/in-parallel.ts";
import { createNodes, reportHeartbeats } from "./memory/cluster-nodes.ts";
import { megabytes, seconds, thousands } from "./support/table.ts";

/**
 * Memory of the operator as shipped while the number of services grows, on the embedded server in another process, without a node.
 * `--services=100,1000,3000`, `--dialect=llmkube`, `--rest=60` (seconds at rest after each step). `--nodes=1000` adds that many Nodes after the
 * last step, which run no pods, and lets each report once in five minutes. `--operator-flags='--heapsnapshot-signal=SIGUSR2'`
 * adds flags of Node, and `--wait` keeps the last state until Ctrl-C, for a closer look.
 */
const option = (name: string, fallback: string): string =>
  process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? fallback;

const dialect = option("dialect", "llmkube");
const fleet = fleets[dialect] as Fleet;
const steps = option("services", "100,1000,3000").split(",").map(Number);
const rest = Number(option("rest", "0")) * 1_000;
const nodes = Number(option("nodes", "0"));
const flags = option("operator-flags", "").split(" ").filter(Boolean);

const program = new URL("memory/cluster-process.ts", import.meta.url).pathname;
const cluster = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] });
process.once("exit", () => cluster.kill("SIGTERM"));
const [kubeconfig] = (await once(createInterface({ input: cluster.stdout }), "line")) as [string];
const transport = httpTransport(await loadKubeconfig(kubeconfig));
const client = createClient(transport);
await fleet.prepare(client, "none");
await bindClaims(client);
const load = loadavg()[0]?.toFixed(1);
const place = { kubeconfig, operatorNamespace: "trivium-system" };
const operator = await startMeasuredOperator(place, undefined, flags);
try {
  const print = (row: readonly string[]): void => console.log(row.map((cell) => cell.padEnd(16)).join(""));
  print([
    `${dialect}, load ${load}`,
    "peak",
    "a service more",
    "10 s later",
    "a service more",
    "processor time",
    "a minute at rest",
  ]);
  let before: { readonly services: number; readonly peak: number; readonly memory: number } | undefined;
  for (const services of [0, ...steps]) {
    await grow(client, before?.services ?? 0, services);
    await untilQuiet(operator);
    const peak = operator.peakMemory();
    await sleep(10_000);
    const began = operator.processorTime();
    await sleep(rest);
    const atRest = operator.processorTime() - began;
    const memory = operator.memory();
    const more = services - (before?.services ?? 0);
    const each = (now: number, then: number | undefined): string =>
      before === undefined ? "" : `${((now - (then ?? 0)) / more / 1000).toFixed(1)} KB`;
    print([
      thousands(services),
      megabytes(peak),
      each(peak, before?.peak),
      megabytes(memory),
      each(memory, before?.memory),
      seconds(operator.processorTime()),
      rest === 0 ? "" : `${((atRest / rest) * 60).toFixed(2)} s`,
    ]);
    before = { services, peak, memory };
  }
  if (nodes > 0 && before !== undefined) await measureNodes(before.memory);
  console.log(`first pass after ${seconds(operator.firstPass ?? 0)}`);
  if (process.argv.includes("--wait")) await once(process, "SIGINT");
} finally {
  await operator.stop();
  await transport.close();
  cluster.kill("SIGTERM");
}

/** What Nodes cost: their place in the cache, and their reports, of which there are as many in a minute as kubelets send. */
async function measureNodes(memoryBefore: number): Promise<void> {
  const [began, first] = [operator.processorTime(), await operator.counts()];
  await createNodes(client, nodes);
  await untilQuiet(operator);
  // The controllers of a busy machine pause longer than that, and what they do then would count as heartbeats.
  await sleep(30_000);
  await untilQuiet(operator);
  const [created, second, memory] = [operator.processorTime(), await operator.counts(), operator.memory()];
  await reportHeartbeats(client, Math.ceil(nodes / 5), 60_000);
  const [reported, third] = [operator.processorTime(), await operator.counts()];
  const passes = [(second?.passes ?? 0) - (first?.passes ?? 0), (third?.passes ?? 0) - (second?.passes ?? 0)];
  console.log(
    [
      `${thousands(nodes)} Nodes: peak ${megabytes(operator.peakMemory())}, half a minute later ${megabytes(memory)}`,
      `${((memory - memoryBefore) / nodes / 1000).toFixed(1)} KB a Node`,
      `${seconds(created - began)} of processor time and ${passes[0]} passes when they are created`,
      `a minute of their heartbeats: ${seconds(reported - created)} and ${passes[1]} passes`,
    ].join("; "),
  );
}

async function grow(client: KubeClient, from: number, to: number): Promise<void> {
  const names = Array.from({ length: to - from }, (_, i) => `service-${from + i}`);
  await inParallel(
    names.map((name) => async () => {
      for (const { kind, object } of fleet.objectsOf(name)) await client.create(kind, object);
    }),
  );
}

/** What the controllers of a real control plane do; without it no service of LLMKube gets its Deployment. */
async function bindClaims(client: KubeClient): Promise<void> {
  for (const { metadata } of (await client.list(PersistentVolumeClaim)).items) {
    const { namespace, name = "" } = metadata;
    const body = { status: { phase: "Bound" } } as const;
    await client.patch(PersistentVolumeClaim, { namespace, name }, { type: "merge", body }, { subresource: "status" });
  }
}

/** Without a pass for some seconds nothing more is to come. */
async function untilQuiet(operator: MeasuredOperator): Promise<void> {
  const countOf = async (): Promise<number> => {
    const { passes = 0, unchanged = 0 } = (await operator.counts()) ?? {};
    return passes + unchanged;
  };
  let count = -1;
  for (let calm = 0; calm < 4; ) {
    await sleep(1_000);
    const now = await countOf();
    calm = now === count ? calm + 1 : 0;
    count = now;
  }
}
