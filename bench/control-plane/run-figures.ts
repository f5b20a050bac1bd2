import { megabytes, seconds } from "../support/table.ts";
import type { WriteCount } from "./audit.ts";
import type { Nodes } from "./fleets.ts";

/** What was measured in one run; times in milliseconds, memory in bytes. */
export interface RunFigures {
  readonly dialect: string;
  readonly services: number;
  readonly nodes: Nodes;
  readonly firstPass: number | undefined;
  readonly peakMemory: number;
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
  readonly edit: {
    readonly dependants: number;
    readonly followed: number;
    readonly writes: number;
    readonly took: number;
  };
  readonly bare: { readonly lastChild: number; readonly whole: number; readonly failed: number };
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

/** Rows of the table of one run. */
export function rowsOf(figures: RunFigures): string[][] {
  const { services, bare, rest, single, edit } = figures;
  const each = (count: number): string => (count / services).toFixed(2);
  const ratio = (ours: number, theirs: number): string => (theirs > 0 ? `${(ours / theirs).toFixed(2)}×` : "–");
  return [
    [`${figures.dialect}, ${services} services, ${nodeWords[figures.nodes]}`, "operator", "bare client", "ratio"],
    ["start to first pass", figures.firstPass === undefined ? "–" : seconds(figures.firstPass), "", ""],
    ["last child", seconds(figures.lastChild), seconds(bare.lastChild), ratio(figures.lastChild, bare.lastChild)],
    ["last write", seconds(figures.lastWrite), seconds(bare.whole), ratio(figures.lastWrite, bare.whole)],
    [
      `ready: ${figures.ready.count} of ${services}`,
      figures.ready.count === 0 ? "–" : seconds(figures.ready.took),
      "",
      "",
    ],
    ["writes a service without Events", each(objectWritesOf(figures)), "", ""],
    ["writes a service", each(sumOf(figures.writes)), "", ""],
    ...figures.writes.map(({ what, count }) => [`… ${what}`, each(count), "", ""]),
    ["writes that failed", `${figures.failedWrites}`, `${bare.failed}`, ""],
    ["passes a service", figures.passes === undefined ? "–" : each(figures.passes), "", ""],
    ["observed as before, a service", figures.unchanged === undefined ? "–" : each(figures.unchanged), "", ""],
    ["processor time of the operator", seconds(figures.operatorTime), "", ""],
    ["processor time of API server and etcd", seconds(figures.serverTime), "", ""],
    ["peak memory of the operator", megabytes(figures.peakMemory), "", ""],
    [
      `${rest.seconds} s at rest: writes, calls, processor`,
      `${rest.writes}, ${rest.calls}, ${seconds(rest.time)}`,
      "",
      "",
    ],
    ...rest.written.map(({ what, count }) => [`… at rest: ${what}`, `${count}`, "", ""]),
    [
      "one service on an idle system, median (worst)",
      `${seconds(medianOf(single))} (${seconds(Math.max(...single))})`,
      "",
      "",
    ],
    [
      `a shared object is edited: ${edit.followed} children of ${edit.dependants} services follow, ${edit.writes} writes`,
      seconds(edit.took),
      "",
      "",
    ],
  ];
}

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = [sorted[middle - (sorted.length % 2 === 0 ? 1 : 0)], sorted[middle]];
  return (low + high) / 2;
}
