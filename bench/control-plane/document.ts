import { megabytes, seconds, thousands } from "../support/table.ts";
import type { BareFigures } from "./bare-client.ts";
import type { RunResult } from "./results.ts";
import { eventsOf, growthRows, nodeWords, objectWritesOf, optionalSeconds, singleOf } from "./run-figures.ts";

const begin = "<!-- begin: npm run bench -- control-plane --write-docs -->";
const end = "<!-- end: npm run bench -- control-plane --write-docs -->";

/** The page with its generated part replaced; throws where it has none. */
export function replaceMeasured(page: string, measured: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page has no lines "${begin}" and "${end}"; add them`);
  return `${page.slice(0, from + begin.length)}\n\n${measured}\n${page.slice(to)}`;
}

const dialectWords: Readonly<Record<string, string>> = { llmkube: "LLMKube", aim: "AIM", ome: "OME" };

/** Tables of all runs, one for each dialect and kind of node, with the numbers of services beside each other. */
export function measuredPart(results: readonly RunResult[], plot: string): string {
  const groups = [...Map.groupBy(results, titleOf)].map(([title, runs]) => tableOf(title, runs));
  const growth = growthRows(results.filter(({ operator }) => operator === undefined));
  const growthTable = [["growth", "services", "passes", "processor time", "memory a service"], ...growth];
  return [
    `![Time, work and memory over the number of services](${plot})`,
    ...groups,
    ...(growth.length === 0 ? [] : [markdown(growthTable)]),
    "",
  ].join("\n\n");
}

const titleOf = ({ dialect, nodes }: RunResult): string => `${dialectWords[dialect] ?? dialect}, ${nodeWords[nodes]}`;

/** Another operator has its column beside ours for the same number of services. */
const columnOf = ({ services, operator }: RunResult): string =>
  operator === undefined ? thousands(services) : `${thousands(services)}, ${operator}`;

interface Row {
  readonly name: string;
  readonly aim?: string;
  show(run: RunResult): string;
}

const each = (count: number, { services }: RunResult): string => (count / services).toFixed(2);
const compare = (ours: number, bare: number | undefined): string =>
  bare === undefined || bare === 0 ? seconds(ours) : `${seconds(ours)}, ${seconds(bare)}, ${(ours / bare).toFixed(2)}`;

const readyOf = (ready: BareFigures["ready"]): string =>
  ready === undefined || ready.count === 0 ? "–" : `${ready.count}, ${seconds(ready.took)}`;

const rows: readonly Row[] = [
  {
    name: "last manifest applied: beside the operator, by the bare client",
    show: ({ created, bare }) => `${optionalSeconds(created)}, ${optionalSeconds(bare?.created)}`,
  },
  {
    name: "last child: operator, bare client, ratio",
    aim: "ratio at most 1.5",
    show: ({ lastChild, bare }) => compare(lastChild, bare?.lastChild),
  },
  {
    name: "last write: operator, bare client, ratio",
    aim: "ratio at most 2",
    show: ({ lastWrite, bare }) => compare(lastWrite, bare?.whole),
  },
  {
    name: "ready, the last after; pods of the bare client, the last after",
    show: ({ ready, bare }) => `${readyOf(ready)}; ${readyOf(bare?.ready)}`,
  },
  {
    name: "passes a service",
    aim: "at most 15",
    show: (run) => (run.passes === undefined ? "–" : each(run.passes, run)),
  },
  {
    name: "observed as before, without a pass, a service",
    show: (run) => (run.unchanged === undefined ? "–" : each(run.unchanged, run)),
  },
  {
    name: "writes a service without Events",
    aim: "LLMKube and AIM at most 5, OME its children and 1",
    show: (run) => each(objectWritesOf(run), run),
  },
  { name: "Events a service", show: (run) => each(eventsOf(run), run) },
  { name: "writes that failed", show: ({ failedWrites }) => `${failedWrites}` },
  {
    name: "processor time: operator / API server and etcd / controllers and scheduler / client and staged nodes",
    show: ({ operatorTime, serverTime, controllerTime, benchTime }) =>
      [operatorTime, serverTime, controllerTime, benchTime].map(optionalSeconds).join(" / "),
  },
  { name: "peak memory of the operator", aim: "150 MB at 300", show: ({ peakMemory }) => megabytes(peakMemory) },
  {
    name: "start to first pass: definitions are new, are served",
    aim: "at most 1 s",
    show: ({ firstPass, laterFirstPass }) => [firstPass, laterFirstPass].map(optionalSeconds).join(", "),
  },
  {
    name: "at rest, a minute: writes / calls / processor time",
    aim: "0 / – / 0.1 s",
    show: ({ rest }) => {
      const aMinute = (count: number): number => Math.round((count * 60) / rest.seconds);
      return `${aMinute(rest.writes)} / ${aMinute(rest.calls)} / ${seconds(aMinute(rest.time))}`;
    },
  },
  {
    name: "one service on an idle system, median (slowest)",
    show: singleOf,
  },
  {
    name: "a shared object is edited: services, writes, until all follow",
    show: ({ edit }) => (edit === undefined ? "–" : `${edit.dependants}, ${edit.writes}, ${seconds(edit.took)}`),
  },
  {
    name: "date, processors, load at the start",
    show: ({ date, processors, load }) => `${date}, ${processors}, ${load.toFixed(1)}`,
  },
];

function tableOf(title: string, runs: readonly RunResult[]): string {
  const head = [title, ...runs.map(columnOf), "aim"];
  return markdown([head, ...rows.map(({ name, show, aim = "" }) => [name, ...runs.map(show), aim])]);
}

function markdown([head = [], ...body]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |");
  return [line(head), `|${"---|".repeat(head.length)}`, ...body.map(line)].join("\n");
}
