import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { RunFigures } from "./run-figures.ts";

/** One run and what the machine was like. */
export interface RunResult extends RunFigures {
  /** `2026-11-16` */
  readonly date: string;
  readonly processors: number;
  /** Load of the machine when the run began. */
  readonly load: number;
  /** Its name or command, where another operator was measured. */
  readonly operator?: string;
}

const keyOf = ({ dialect, nodes, services, operator = "" }: RunResult): string =>
  JSON.stringify([dialect, nodes, services, operator]);

/** What earlier runs have left in a file; nothing where there is none. */
export function readResults(path: string): readonly RunResult[] {
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as RunResult[]) : [];
}

/** Writes a run as soon as it has ended, in place of an earlier one of the same kind: what is stopped in the middle loses nothing. */
export function addResult(path: string, result: RunResult): readonly RunResult[] {
  const others = readResults(path).filter((each) => keyOf(each) !== keyOf(result));
  const all = [...others, result].sort(byPlace);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, `${JSON.stringify(all, undefined, 1)}\n`);
  renameSync(`${path}.new`, path);
  return all;
}

const order: readonly string[] = ["llmkube", "aim", "ome", "none", "staged"];

function byPlace(a: RunResult, b: RunResult): number {
  return (
    order.indexOf(a.dialect) - order.indexOf(b.dialect) ||
    order.indexOf(a.nodes) - order.indexOf(b.nodes) ||
    a.services - b.services ||
    Number(a.operator !== undefined) - Number(b.operator !== undefined)
  );
}
