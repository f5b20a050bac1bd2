import { setTimeout as sleep } from "node:timers/promises";
import { builtInResources, createApi, openMemoryStore } from "@trivium/apiserver";
import { createClient, httpTransport, loadKubeconfig } from "@trivium/client";
import { CustomResourceDefinition, emitCrd, type KubeClient } from "@trivium/kube";
import { InferenceService, Model } from "@trivium/llmkube";
import { NoCluster } from "../tools/cluster/build.ts";
import { startCluster, stopCluster } from "../tools/cluster/cluster.ts";
import { makeFleet, type Run, runOperator } from "./llmkube/fleet.ts";
import { replay } from "./llmkube/replay.ts";
import { newClusterPlace } from "./support/real-cluster.ts";
import { printTable, seconds } from "./support/table.ts";

/**
 * So many Models and as many services from nothing to all their children, by the LLMKube operator: on the embedded server, and on
 * kube-apiserver with etcd beside a client that makes the same writes and knows them beforehand. No nodes: what pods cost is not measured.
 */
const count = Number(process.argv[2] ?? 300);
/** Into so many parts the comparison is cut. */
const turns = 5;

const embedded = await measureEmbedded();
const real = await measureReal();
printTable([
  [`${count} Models, ${count} services`, "embedded", "kube-apiserver, etcd", "aim"],
  [
    "until all children are written",
    seconds(embedded.took),
    shown(real, ({ run }) => seconds(run.took)),
    "at most 5 s",
  ],
  ["until all is written", seconds(embedded.whole), shown(real, ({ run }) => seconds(run.whole)), ""],
  ["writes a service, Model and Events with it", each(embedded), shown(real, ({ run }) => each(run)), ""],
  ["… without Events", eachQuiet(embedded), shown(real, ({ run }) => eachQuiet(run)), ""],
  ["writes in a minute at rest", `${embedded.atRest}`, shown(real, ({ run }) => `${run.atRest}`), "0"],
  ["the same writes by a bare client", "", shown(real, ({ bare }) => seconds(bare)), ""],
  ["ratio", "", shown(real, ({ run, bare }) => `${(run.whole / bare).toFixed(2)}×`), "at most 1.5×"],
]);

function each({ writes }: Run): string {
  return (writes.length / count).toFixed(2);
}

function eachQuiet({ writes }: Run): string {
  return (writes.filter(({ kind }) => kind.kind !== "Event").length / count).toFixed(2);
}

interface RealRun {
  readonly run: Run;
  readonly bare: number;
}

function shown(run: RealRun | undefined, show: (run: RealRun) => string): string {
  return run === undefined ? "–" : show(run);
}

async function measureEmbedded(): Promise<Run> {
  const api = createApi({ store: openMemoryStore(), resources: builtInResources() });
  await api.ready;
  const client = createClient(api.transport({ user: "bench", groups: ["system:masters"] }));
  await install(client);
  const run = await runOperator(client, makeFleet("fleet", count));
  await api.close();
  return run;
}

async function measureReal(): Promise<RealRun | undefined> {
  const place = newClusterPlace();
  try {
    const { kubeconfig } = await startCluster({ folder: place.folder, controllers: false, print: console.error });
    const transport = httpTransport(await loadKubeconfig(kubeconfig));
    const client = createClient(transport);
    await install(client);
    // The first calls warm the server for both.
    await runOperator(client, makeFleet("warm", 10));
    const rounds: RealRun[] = [];
    for (let i = 0; i < turns; i += 1) rounds.push(await measureRound(client, i));
    await transport.close();
    return rounds.reduce(added);
  } catch (error) {
    if (!(error instanceof NoCluster)) throw error;
    console.log(`no comparison with a real server: ${error.message}`);
    return undefined;
  } finally {
    await stopCluster(place.folder);
    await place.clear();
  }
}

/** The two in turn on the same server, each in a namespace of its own, so that what else the machine does meets both. */
async function measureRound(client: KubeClient, round: number): Promise<RealRun> {
  const size = Math.ceil(count / turns);
  const run = await runOperator(client, makeFleet(`fleet-${round}`, size));
  const recording = { writes: run.writes, from: `fleet-${round}` };
  return { run, bare: await replay(client, makeFleet(`bare-${round}`, size), recording) };
}

function added(a: RealRun, b: RealRun): RealRun {
  const run = {
    took: a.run.took + b.run.took,
    whole: a.run.whole + b.run.whole,
    writes: [...a.run.writes, ...b.run.writes],
    atRest: a.run.atRest + b.run.atRest,
  };
  return { run, bare: a.bare + b.bare };
}

async function install(client: KubeClient): Promise<void> {
  for (const kind of [Model, InferenceService]) await client.create(CustomResourceDefinition, emitCrd(kind));
  const isServed = async () => (await client.discover()).filter(({ group }) => group === Model.group).length === 2;
  while (!(await isServed())) await sleep(50);
}
