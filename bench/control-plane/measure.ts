import { setTimeout as sleep } from "node:timers/promises";
import { inParallel } from "../llmkube/in-parallel.ts";
import { type AuditedCall, isChild, isWrite, lastOf } from "./audit.ts";
import { runBareClient } from "./bare-client.ts";
import { type Fleet, fleets } from "./fleets.ts";
import { type MeasuredCluster, startMeasuredCluster } from "./measured-cluster.ts";
import { type MeasuredOperator, startMeasuredOperator } from "./measured-operator.ts";
import type { BenchOptions } from "./options.ts";
import type { RunFigures } from "./run-figures.ts";

interface Run {
  readonly cluster: MeasuredCluster;
  readonly operator: MeasuredOperator;
  readonly fleet: Fleet;
  /** In milliseconds. */
  readonly limit: number;
}

const singleCreates = 5;
/** Without a write for so long nothing more is to come. */
const quiet = 6_000;

/** One dialect and one number of services on a control plane of its own. */
export async function measureRun(dialect: string, services: number, options: BenchOptions): Promise<RunFigures> {
  const fleet = fleets[dialect] as Fleet;
  const cluster = await startMeasuredCluster(options.operator === undefined ? "printed" : "all");
  try {
    await fleet.prepare(cluster.client);
    const operator = await startMeasuredOperator(cluster, options.operator);
    const run = { cluster, operator, fleet, limit: options.limit * 1_000 };
    try {
      return await measureOperator(run, { dialect, services, idle: options.idle * 1_000 });
    } finally {
      await operator.stop();
    }
  } finally {
    await cluster.stop();
  }
}

async function measureOperator(
  run: Run,
  { dialect, services, idle }: { dialect: string; services: number; idle: number },
): Promise<RunFigures> {
  const { cluster, operator, fleet } = run;
  await settle(run);
  const names = Array.from({ length: services }, (_, i) => `service-${i}`);
  const all = await during(run, () => create(run, names));
  const atRest = await during(run, () => sleep(idle));
  const single: number[] = [];
  for (let i = 0; i < singleCreates; i += 1) {
    const { calls, began } = await during(run, () => create(run, [`single-${i}`]));
    single.push(lastOf(calls.filter(isChild)) - began);
  }
  const edited = await during(run, () => fleet.edit(cluster.client));
  const figures = {
    dialect,
    services,
    firstPass: operator.firstPass,
    peakMemory: operator.peakMemory(),
    lastChild: lastOf(all.calls.filter(isChild)) - all.began,
    lastWrite: lastOf(all.calls.filter(isWrite)) - all.began,
    writes: all.calls,
    passes: all.passes,
    operatorTime: all.operatorTime,
    serverTime: all.serverTime,
    rest: {
      seconds: idle / 1_000,
      writes: atRest.calls.filter(isWrite).length,
      calls: atRest.calls.length,
      time: atRest.operatorTime,
    },
    single,
    edit: {
      writes: edited.calls.filter(isWrite).length,
      took: Math.max(0, lastOf(edited.calls.filter(isWrite)) - edited.began),
    },
  };
  // It would work on the objects of the bare client, too.
  await operator.stop();
  return { ...figures, bare: await runBareClient(cluster, { fleet, names, calls: all.calls }) };
}

interface Period {
  readonly began: number;
  readonly calls: readonly AuditedCall[];
  readonly passes: number | undefined;
  readonly operatorTime: number;
  readonly serverTime: number;
}

/** What an operator does from the beginning of some work until it has nothing left to write. */
async function during(run: Run, work: () => Promise<unknown>): Promise<Period> {
  const { cluster, operator } = run;
  const before = {
    calls: cluster.audit.refresh().length,
    passes: await operator.passes(),
    operator: operator.processorTime(),
    server: cluster.processorTime(),
  };
  const began = Date.now();
  await work();
  await settle(run);
  const passes = await operator.passes();
  return {
    began,
    calls: cluster.audit.refresh().slice(before.calls),
    passes: passes === undefined ? undefined : passes - (before.passes ?? 0),
    operatorTime: operator.processorTime() - before.operator,
    serverTime: cluster.processorTime() - before.server,
  };
}

async function create({ cluster, fleet }: Run, names: readonly string[]): Promise<void> {
  const objects = names.flatMap((name) => [...fleet.objectsOf(name)]);
  await inParallel(
    objects.map(
      ({ kind, object }) =>
        () =>
          cluster.client.create(kind, object),
    ),
  );
}

async function settle({ cluster, limit }: Run): Promise<void> {
  const began = Date.now();
  for (;;) {
    const last = Math.max(began, lastOf(cluster.audit.refresh().filter(isWrite)));
    const now = Date.now();
    if (now - last >= quiet || now - began >= limit) return;
    await sleep(Math.min(1_000, quiet - (now - last)));
  }
}
