import { megabytes, printTable, seconds, thousands } from "./table.ts";

/** What is measured of one server; times in milliseconds, memory in bytes, rates a second. */
export interface Figures {
  started?: number;
  startProcessor?: number;
  memory?: number;
  creates?: number;
  createProcessor?: number;
  applies?: number;
  applyProcessor?: number;
  delivered?: number;
  list?: number;
  memoryAfter?: number;
}

/** How a figure is shown, and how many times better than the real server the embedded one is to be. */
interface Row {
  readonly name: string;
  readonly figure: keyof Figures;
  readonly better: "higher" | "lower";
  show(value: number): string;
  readonly aim?: number;
}

const rate = (value: number): string => `${thousands(value)}/s`;
const fine = (milliseconds: number): string => `${milliseconds.toFixed(2)} ms`;

const rows: readonly Row[] = [
  { name: "start to ready, all CRDs established", figure: "started", better: "lower", show: seconds, aim: 5 },
  { name: "… processor time", figure: "startProcessor", better: "lower", show: seconds },
  { name: "memory with all CRDs", figure: "memory", better: "lower", show: megabytes, aim: 3 },
  { name: "creates of 2 KB, 16 clients", figure: "creates", better: "higher", show: rate, aim: 2 },
  { name: "… processor time of one", figure: "createProcessor", better: "lower", show: fine },
  { name: "server-side applies of 2 KB, 16 clients", figure: "applies", better: "higher", show: rate, aim: 2 },
  { name: "… processor time of one", figure: "applyProcessor", better: "lower", show: fine },
  { name: "2,000 events to 100 watchers, none lost", figure: "delivered", better: "lower", show: seconds },
  { name: "list of 10,000", figure: "list", better: "lower", show: seconds },
  { name: "memory after all this", figure: "memoryAfter", better: "lower", show: megabytes },
];

/** A table with a ratio a row: above 1 the embedded server is the better one. A figure that was not had is a dash. */
export function printComparison(embedded: Figures, real: Figures): void {
  const cells = rows.map(({ name, figure, better, show, aim }) => {
    const [ours, theirs] = [embedded[figure], real[figure]];
    const shown = (value: number | undefined): string => (value === undefined ? "–" : show(value));
    const wanted = aim === undefined ? "" : `at least ${aim}×`;
    return [name, shown(ours), shown(theirs), ratioOf(ours, theirs, better), wanted];
  });
  printTable([["", "embedded", "kube-apiserver, etcd", "ratio", "aim"], ...cells]);
}

function ratioOf(ours: number | undefined, theirs: number | undefined, better: Row["better"]): string {
  if (ours === undefined || theirs === undefined) return "–";
  return `${(better === "higher" ? ours / theirs : theirs / ours).toFixed(1)}×`;
}
