import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ensureBuilt, programFlags } from "../scripts/toolchain.mjs";
import { printTable } from "./support/table.ts";
import { startTrivium } from "./support/trivium-process.ts";

/**
 * What commands cost that people type often: time from the start of the process to its end, and processor time of all its threads. Each
 * runs the bundle, once to fill the compile cache and then a number of times; the median counts.
 */
const times = Number(process.argv[2] ?? 11);
const program = ensureBuilt();
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "trivium-commands-"));
const server = await startTrivium({ flags: [] });

interface Cost {
  readonly took: number;
  readonly processor: number;
}

/** bash has the processor time of its children, which Node has not. */
async function costOf(words: readonly string[]): Promise<Cost> {
  const script = 'TIMEFORMAT="%3R %3U %3S"; time "$@" > /dev/null 2>&1 < /dev/null';
  const command = [process.execPath, ...programFlags, program, ...words];
  const env = { ...process.env, KUBECONFIG: server.kubeconfig, XDG_CACHE_HOME: folder, NO_COLOR: "1" };
  const { stderr } = await run("bash", ["-c", script, "bash", ...command], { env }).catch(
    (error: { stderr: string }) => error,
  );
  const [took = 0, user = 0, system = 0] = stderr
    .trim()
    .split(" ")
    .map((text) => Number(text) * 1000);
  return { took, processor: user + system };
}

async function measure(words: readonly string[]): Promise<Cost> {
  await costOf(words);
  const costs: Cost[] = [];
  for (let turn = 0; turn < times; turn += 1) costs.push(await costOf(words));
  return { took: median(costs.map(({ took }) => took)), processor: median(costs.map(({ processor }) => processor)) };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const examples = join(import.meta.dirname, "../examples");
const commands: readonly (readonly [words: readonly string[], aim: string])[] = [
  [["--help"], "150 ms"],
  [["version"], "150 ms"],
  [["completion", "bash"], "150 ms"],
  [["get"], "300 ms"],
  [["get", "-A", "-o", "json"], "300 ms"],
  [["status", "--home", server.home], "300 ms"],
  [["models", "ls", "--home", server.home], ""],
  [["convert", "-f", join(examples, "llmkube/demo.yaml"), "--to", "ome"], ""],
  [["plan", "-f", join(examples, "llmkube/demo.yaml")], "500 ms"],
];
const rows: string[][] = [];
try {
  for (const [words, aim] of commands) {
    const { took, processor } = await measure(words);
    const shown = words.map((word) => word.replace(`${examples}/`, "")).filter((word) => word !== server.home);
    rows.push([`trivium ${shown.join(" ")}`, `${Math.round(took)} ms`, `${Math.round(processor)} ms`, aim]);
  }
} finally {
  await server.stop();
  server.removeHome();
  rmSync(folder, { recursive: true, force: true });
}
printTable([["command", "time", "processor time", "at most"], ...rows]);
