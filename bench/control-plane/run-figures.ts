import { megabytes, seconds } from "../support/table.ts";
import type { WriteCount } from "./audit.ts";
import type { BareFigures } from "./bare-client.ts";
import type { Nodes } from "./fleets.ts";

/** What was measured in one run; times in milliseconds, memory in bytes. */
export interface RunFigures {
  readonly dialect: string;
  readonly services: number;
  readonly nodes: Nodes;
  /** From the start of the process, on an API server that has just been given the definitions and loads each when it is first listed. */
  readonly firstPass: number | undefined;
  /** The same on one that serves them already. */
  readonly laterFirstPass?: number | undefined;
  readonly peakMemory: number;
  /** When the last manifest was applied. */
  readonly created?: number;
  readonly lastChild: number;
  readonly lastWrite: number;
  /** Services that were reported as ready, and when the last of them was. */
  readonly ready: { readonly count: number; readonly took: number };
  /** From the first service to the last write. */
  readonly writes: readonly WriteCount[];
  readonly failedWrites: number;
  readonly passes: number | undefined;
  /** How often an object was observed as before, so that no pass was needed. */
  readonly unchanged: number | undefined;
  readonly operatorTime: number;
  readonly serverTime: number;
  /** Of controllers and scheduler; and of the client that applies the manifests, with the staged nodes. */
  readonly controllerTime?: number;
  readonly benchTime?: number;
  readonly rest: {
    readonly seconds: number;
    readonly writes: number;
    /** The same by verb and resource. */
    readonly written: readonly WriteCount[];
    readonly calls: number;
    readonly time: number;
  };
  /** From the creation of a service on an idle system to its last child. */
  readonly single: readonly number[];
  /** Services that use the edited object, children that followed, when the last of them had, and all writes that this took. */
  readonly edit?: {
    readonly dependants: number;
    readonly followed: number;
    readonly writes: number;
    readonly took: number;
  };
  readonly bare?: BareFigures;
}

export const nodeWords: Readonly<Record<Nodes, string>> = { none: "no node", staged: "staged nodes" };

const sumOf = (counts: readonly WriteCount[]): number => counts.reduce((sum, { count }) => sum + count, 0);
const isOfEvents = ({ what }: WriteCount): boolean => what.endsWith(" events");
type Writing = Pick<RunFigures, "writes">;
export const eventsOf = ({ writes }: Writing): number => sumOf(writes.filter(isOfEvents));
export const objectWritesOf = ({ writes }: Writing): number => sumOf(writes) - eventsOf({ writes });

/** How work and memory grow from the smallest to the largest run of a dialect; nothing where there is one run only. */
export function growthRows(runs: readonly RunFigures[]): string[][] {
  return [...Map.groupBy(runs, ({ dialect, nodes }) => `${dialect}, ${nodeWords[nodes]}`)].flatMap(([name, group]) => {
    const [first, ...others] = [...group].sort((a, b) => a.services - b.services);
    const last = others.at(-1);
    if (first === undefined || last === undefined) return [];
    const ratio = (of: (run: RunFigures) => number): string => `${(of(last) / of(first)).toFixed(1)}×`;
    const kilobytes = (last.peakMemory - first.peakMemory) / 1000 / (last.services - first.services);
    const passes = (run: RunFigures): number => run.passes ?? Number.NaN;
    return [
      [
        `${name}: ${first.services} to ${last.services}`,
        `${(last.services / first.services).toFixed(1)}×`,
        ratio(passes),
        ratio(({ operatorTime }) => operatorTime),
        `${kilobytes.toFixed(0)} KB`,
      ],
    ];
  });
}

export const optionalSeconds = (time: number | undefined): string => (time === undefined ? "–" : seconds(time));

/** Rows of the table of one run. */
export function rowsOf(figures: RunFigures): string[][] {
  const { services, bare, rest, edit } = figures;
  const each = (count: number): string => (count / services).toFixed(2);
  const ratio = (ours: number, theirs = 0): string => (theirs > 0 ? `${(ours / theirs).toFixed(2)}×` : "–");
  return [
    [`${figures.dialect}, ${services} services, ${nodeWords[figures.nodes]}`, "operator", "bare client", "ratio"],
    ["start to first pass, definitions are new", optionalSeconds(figures.firstPass), "", ""],
    ["start to first pass, definitions are served", optionalSeconds(figures.laterFirstPass), "", ""],
    ["last manifest applied", optionalSeconds(figures.created), optionalSeconds(bare?.created), ""],
    [
      "last child",
      seconds(figures.lastChild),
      optionalSeconds(bare?.lastChild),
      ratio(figures.lastChild, bare?.lastChild),
    ],
    ["last write", seconds(figures.lastWrite), optionalSeconds(bare?.whole), ratio(figures.lastWrite, bare?.whole)],
    [
      `ready: ${figures.ready.count} of ${services}`,
      figures.ready.count === 0 ? "–" : seconds(figures.ready.took),
      bare?.ready === undefined ? "" : `${bare.ready.count}: ${seconds(bare.ready.took)}`,
      bare?.ready === undefined ? "" : ratio(figures.ready.took, bare.ready.took),
    ],
    ["writes a service without Events", each(objectWritesOf(figures)), "", ""],
    ["writes a service", each(sumOf(figures.writes)), "", ""],
    ...figures.writes.map(({ what, count }) => [`… ${what}`, each(count), "", ""]),
    ["writes that failed", `${figures.failedWrites}`, bare === undefined ? "–" : `${bare.failed}`, ""],
    ["passes a service", figures.passes === undefined ? "–" : each(figures.passes), "", ""],
    ["observed as before, a service", figures.unchanged === undefined ? "–" : each(figures.unchanged), "", ""],
    ["processor time of the operator", seconds(figures.operatorTime), "", ""],
    ["processor time of API server and etcd", seconds(figures.serverTime), "", ""],
    ["processor time of controllers and scheduler", optionalSeconds(figures.controllerTime), "", ""],
    ["processor time of client and staged nodes", optionalSeconds(figures.benchTime), "", ""],
    ["peak memory of the operator", megabytes(figures.peakMemory), "", ""],
    [
      `${rest.seconds} s at rest: writes, calls, processor`,
      `${rest.writes}, ${rest.calls}, ${seconds(rest.time)}`,
      "",
      "",
    ],
    ...rest.written.map(({ what, count }) => [`… at rest: ${what}`, `${count}`, "", ""]),
    ["one service on an idle system, median (worst)", singleOf(figures), "", ""],
    ...(edit === undefined ? [] : [editRow(edit)]),
  ];
}

function editRow({ followed, dependants, writes, took }: NonNullable<RunFigures["edit"]>): string[] {
  const name = `a shared object is edited: ${followed} children of ${dependants} services follow, ${writes} writes`;
  return [name, seconds(took), "", ""];
}

/** Median and slowest of the services that were created one by one. */
export const singleOf = ({ single }: Pick<RunFigures, "single">): string =>
  single.length === 0 ? "–" : `${seconds(medianOf(single))} (${seconds(Math.max(...single))})`;

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = [sorted[middle - (sorted.length % 2 === 0 ? 1 : 0)], sorted[middle]];
  return (low + high) / 2;
}
