import { setTimeout as sleep } from "node:timers/promises";
import { inParallel } from "../llmkube/in-parallel.ts";
import { type AuditedCall, countWrites, isChild, isWrite, lastOf } from "./audit.ts";
import { type BareFigures, runBareClient, untilBareReady } from "./bare-client.ts";
import { type Applied, type Fleet, fleets, type Nodes } from "./fleets.ts";
import { type MeasuredCluster, startMeasuredCluster } from "./measured-cluster.ts";
import { type MeasuredOperator, startMeasuredOperator } from "./measured-operator.ts";
import type { BenchOptions, RunPart } from "./options.ts";
import { readinessIn } from "./readiness.ts";
import type { RunFigures } from "./run-figures.ts";
import { startStagedNodes } from "./staged-nodes.ts";

/** What one run is about. */
export interface RunPlan {
  readonly dialect: string;
  readonly services: number;
  readonly nodes: Nodes;
}

interface Run {
  readonly cluster: MeasuredCluster;
  readonly operator: MeasuredOperator;
  /** In milliseconds, of the process that was started first, on an API server that had not loaded the definitions. */
  readonly firstPass: number | undefined;
  readonly fleet: Fleet;
  /** In milliseconds. */
  readonly limit: number;
}

const singleCreates = 5;
/** In seconds, where none is given: several times what two busy cores take. */
const [minLimit, limitOfEach] = [300, 0.6];
const maxSharing = 100;
/** Without a write for so long nothing more is to come. */
const quiet = 6_000;
/** The garbage of the work is collected some seconds after its end, which is part of the work and not of the rest. */
const beforeRest = 10_000;

/** One dialect and one number of services on a control plane of its own. */
export async function measureRun(plan: RunPlan, options: BenchOptions): Promise<RunFigures> {
  const fleet = fleets[plan.dialect] as Fleet;
  await using parts = new AsyncDisposableStack();
  const cluster = await startMeasuredCluster(options.operator === undefined ? "printed" : "all");
  parts.defer(() => cluster.stop());
  await fleet.prepare(cluster.client, plan.nodes);
  if (plan.nodes === "staged") {
    const nodes = await startStagedNodes(cluster.client);
    parts.defer(() => nodes.stop());
  }
  await untilCalm(cluster);
  const first = await startMeasuredOperator(cluster, options.operator);
  // The API server loads a definition when its objects are first listed. Most starts are later than that, and on a calm system.
  await first.stop();
  await untilCalm(cluster);
  const operator = await startMeasuredOperator(cluster, options.operator);
  parts.defer(() => operator.stop());
  const limit = (options.limit ?? Math.max(minLimit, plan.services * limitOfEach)) * 1_000;
  const run = { cluster, operator, firstPass: first.firstPass, fleet, limit };
  return await measureOperator(run, plan, options);
}

async function measureOperator(run: Run, plan: RunPlan, options: BenchOptions): Promise<RunFigures> {
  const { operator, fleet } = run;
  const idle = options.idle * 1_000;
  const isMeasured = (part: RunPart): boolean => !options.without.includes(part);
  await settle(run);
  const names = Array.from({ length: plan.services }, (_, i) => `service-${i}`);
  const hasEnded =
    plan.nodes === "none"
      ? () => true
      : (calls: readonly AuditedCall[]) => readinessIn(calls, fleet).count >= plan.services;
  let created = 0;
  const createAll = async (): Promise<void> => {
    await create(run, names.map(fleet.objectsOf));
    created = Date.now();
  };
  const all = await during(run, createAll, { hasEnded });
  const peakMemory = operator.peakMemory();
  await sleep(beforeRest);
  const atRest = await during(run, () => sleep(idle), "exactly");
  const single: number[] = [];
  for (let i = 0; isMeasured("single") && i < singleCreates; i += 1) {
    const { calls, began } = await during(run, () => create(run, [fleet.objectsOf(`single-${i}`)]));
    single.push(lastOf(calls.filter(isChild)) - began);
  }
  const edit = isMeasured("edit") ? await measureEdit(run, plan.services + single.length) : undefined;
  const ready = readinessIn(all.calls, fleet);
  const figures = {
    ...plan,
    firstPass: run.firstPass,
    laterFirstPass: operator.firstPass,
    peakMemory,
    created: created - all.began,
    lastChild: Math.max(0, lastOf(all.calls.filter(isChild)) - all.began),
    lastWrite: Math.max(0, lastOf(all.calls.filter(isWrite)) - all.began),
    ready: { count: ready.count, took: ready.count === 0 ? 0 : ready.last - all.began },
    writes: countWrites(all.calls),
    failedWrites: all.calls.filter((call) => isWrite(call) && call.code >= 300).length,
    passes: all.passes,
    unchanged: all.unchanged,
    operatorTime: all.operatorTime,
    serverTime: all.serverTime,
    controllerTime: all.controllerTime,
    benchTime: all.benchTime,
    rest: {
      seconds: idle / 1_000,
      writes: atRest.calls.filter(isWrite).length,
      written: countWrites(atRest.calls),
      calls: atRest.calls.length,
      time: atRest.operatorTime,
    },
    single,
    ...(edit === undefined ? {} : { edit }),
  };
  // It would work on the objects of the bare client, too.
  await operator.stop();
  if (!isMeasured("bare")) return figures;
  return { ...figures, bare: await measureBare(run, plan, { names, calls: all.calls }) };
}

/** On staged nodes with the time until its pods are ready: before that no operator could report it. */
async function measureBare(
  { cluster, fleet }: Run,
  { nodes }: RunPlan,
  work: { readonly names: readonly string[]; readonly calls: readonly AuditedCall[] },
): Promise<BareFigures> {
  const began = Date.now();
  const bare = await runBareClient(cluster, { fleet, ...work });
  const ready = nodes === "none" ? undefined : await untilBareReady(cluster.client, began);
  return { ...bare, ...(ready === undefined ? {} : { ready }) };
}

/** From the edit of a shared object to the last child that follows it. */
async function measureEdit(run: Run, services: number): Promise<NonNullable<RunFigures["edit"]>> {
  const { fleet, cluster } = run;
  const { sharing } = fleet;
  const dependants = sharing === undefined ? services : Math.min(services, maxSharing);
  if (sharing !== undefined) {
    const names = Array.from({ length: dependants }, (_, i) => `sharing-${i}`);
    await during(run, () =>
      create(
        run,
        names.map((name) => [sharing(name)]),
      ),
    );
  }
  const { calls, began } = await during(run, () => fleet.edit(cluster.client));
  const followed = calls.filter((call) => isChild(call) && call.code < 300);
  const changed = new Set(followed.map(({ resource, name }) => `${resource}/${name}`));
  const took = Math.max(0, lastOf(followed) - began);
  return { dependants, followed: changed.size, writes: calls.filter(isWrite).length, took };
}

interface Period {
  readonly began: number;
  readonly calls: readonly AuditedCall[];
  readonly passes: number | undefined;
  readonly unchanged: number | undefined;
  readonly operatorTime: number;
  readonly serverTime: number;
  readonly controllerTime: number;
  readonly benchTime: number;
}

interface Settling {
  /** Whether nothing more is to come once writes have ended: on a busy machine pods can start after a pause. */
  hasEnded(calls: readonly AuditedCall[]): boolean;
}

/** What an operator does from the beginning of some work until it has nothing left to write, or exactly as long as the work takes. */
async function during(
  run: Run,
  work: () => Promise<unknown>,
  length: Settling | "exactly" = { hasEnded: () => true },
): Promise<Period> {
  const { cluster, operator } = run;
  const countsBefore = await operator.counts();
  const before = {
    calls: cluster.audit.refresh().length,
    operator: operator.processorTime(),
    server: cluster.processorTime(),
    controllers: cluster.controllerTime(),
    bench: ownTime(),
  };
  const began = Date.now();
  await work();
  if (length !== "exactly") await settle(run, () => length.hasEnded(cluster.audit.refresh().slice(before.calls)));
  const [operatorTime, serverTime] = [operator.processorTime(), cluster.processorTime()];
  const [controllerTime, benchTime] = [cluster.controllerTime(), ownTime()];
  const counts = await operator.counts();
  return {
    began,
    calls: cluster.audit.refresh().slice(before.calls),
    passes: difference(counts?.passes, countsBefore?.passes),
    unchanged: difference(counts?.unchanged, countsBefore?.unchanged),
    operatorTime: operatorTime - before.operator,
    serverTime: serverTime - before.server,
    controllerTime: controllerTime - before.controllers,
    benchTime: benchTime - before.bench,
  };
}

/** Processor time of this process, which creates the manifests and runs the staged nodes. */
const ownTime = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

const difference = (after: number | undefined, before = 0): number | undefined =>
  after === undefined ? undefined : after - before;

/** Many manifests at a time, the objects of each in their order. */
async function create({ cluster }: Run, manifests: readonly (readonly Applied[])[]): Promise<void> {
  await inParallel(
    manifests.map((objects) => async () => {
      for (const { kind, object } of objects) await cluster.client.create(kind, object);
    }),
  );
}

async function settle({ cluster, limit }: Run, hasEnded: () => boolean = () => true): Promise<void> {
  const began = Date.now();
  for (;;) {
    const last = Math.max(began, lastOf(cluster.audit.refresh().filter(isWrite)));
    const now = Date.now();
    if ((now - last >= quiet && hasEnded()) || now - began >= limit) return;
    await sleep(Math.min(1_000, Math.max(250, quiet - (now - last))));
  }
}

/**
 * API server, controllers and staged nodes work on new definitions for a while, which is not part of the start of an operator: people install it on
 * a control plane that runs. Calm is what it is for some seconds in a row, as pauses between two pieces of that work are short.
 */
async function untilCalm(cluster: MeasuredCluster): Promise<void> {
  const [step, calm, enough, most] = [1_000, 200, 5, 120];
  const worked = (): number => cluster.processorTime() + cluster.controllerTime() + ownTime();
  for (let i = 0, inARow = 0; i < most && inARow < enough; i += 1) {
    const before = worked();
    await sleep(step);
    inARow = worked() - before < calm ? inARow + 1 : 0;
  }
}
