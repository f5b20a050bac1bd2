import assert from "node:assert/strict";
import { after } from "node:test";
import type { Difference } from "./compare.ts";
import { installFixtures } from "./fixtures.ts";
import { judge } from "./judge.ts";
import { printDifferences } from "./print.ts";
import type { Sequence } from "./sequence.ts";
import { openServers, type Servers } from "./servers.ts";

/** Both servers for one file of tests, with the shared CRDs; closed when its tests are done. */
export async function openSuite(kubeconfig = process.env.KUBECONFIG_UNDER_TEST): Promise<Servers> {
  if (kubeconfig === undefined) throw new Error("KUBECONFIG_UNDER_TEST names no cluster: run `npm run test:cluster`");
  const faults: string[] = [];
  const servers = await openServers(kubeconfig, (fault) => faults.push(fault));
  await installFixtures(servers);
  after(async () => {
    await servers.close();
    assert.deepEqual(faults, [], "the embedded server reported no fault of its own");
  });
  return servers;
}

export interface Outcome {
  /** What to read, for each sequence that the servers answer differently. */
  readonly reports: readonly string[];
  /** Rows of the table of differences on purpose that were met. */
  readonly rows: ReadonlySet<string>;
}

const atOnce = 6;

/** Judges many sequences, a few at a time: each has a namespace of its own. */
export async function judgeAll(sequences: readonly Sequence[], servers: Servers): Promise<Outcome> {
  const reports: string[] = [];
  const rows = new Set<string>();
  const waiting = [...sequences];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const differences = await judgeTwice(next, servers);
      for (const { row } of differences) if (row !== undefined) rows.add(row);
      const open = differences.filter(({ row }) => row === undefined);
      if (open.length > 0) reports.push(printDifferences(next, open));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { reports: reports.sort(), rows };
}

/**
 * A real server says now and then what it does not say the next time: it patches a state from its cache first, and the
 * warnings of that attempt stay although it is made again with the state that is.
 */
export async function judgeTwice(sequence: Sequence, servers: Servers): Promise<Difference[]> {
  const differences = await judge(sequence, servers);
  return differences.every(({ row }) => row !== undefined) ? differences : judge(sequence, servers);
}
