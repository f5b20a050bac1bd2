import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface ProcessTime {
  readonly name: string;
  readonly seconds: number;
  /** Processor time of the test process itself, and of the programs that it started and waited for. */
  readonly own: number;
  readonly programs: number;
}

export interface TimesOfProcesses {
  /** For the test runner, so that its processes note their times. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly take: () => ProcessTime[];
}

export function collectTimes(): TimesOfProcesses {
  const folder = mkdtempSync(join(tmpdir(), "trivium-times-"));
  const list = join(folder, "lines");
  return {
    args: ["--import=./scripts/test-times.mjs"],
    env: { TRIVIUM_TEST_TIMES: list },
    take: () => {
      const lines = existsSync(list) ? readFileSync(list, "utf8") : "";
      rmSync(folder, { recursive: true, force: true });
      return parseTimes(lines);
    },
  };
}

/** The most expensive first. */
function parseTimes(lines: string): ProcessTime[] {
  const times = lines
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split("\t"))
    .map(([name = "", seconds, own, programs]) => ({
      name: name.replace(/^\.cache\/tests\/\d+\//, ""),
      seconds: Number(seconds),
      own: Number(own),
      programs: Number(programs),
    }));
  return times.sort((a, b) => processorTime(b) - processorTime(a));
}

const processorTime = ({ own, programs }: ProcessTime): number => own + programs;

export function formatTimes(times: readonly ProcessTime[]): string {
  const total = times.reduce((sum, each) => sum + processorTime(each), 0);
  const row = (...cells: readonly string[]): string =>
    cells.map((cell, at) => (at === 3 ? cell : cell.padStart(10))).join("  ");
  return [
    `processor time of ${times.length} test processes: ${total.toFixed(0)} s`,
    row("own s", "programs s", "took s", "process"),
    ...times.map(({ name, seconds, own, programs }) =>
      row(own.toFixed(1), programs.toFixed(1), seconds.toFixed(1), name),
    ),
  ].join("\n");
}
