import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { parseArgs, promisify } from "node:util";
import type { FleetFigures } from "./dialects/measure-fleet.ts";
import { printTable, seconds } from "./support/table.ts";

/**
 * What the services of each dialect cost from nothing to rest, on the embedded server in the same process. With `--beside=FOLDER` the same
 * with another checkout, in turns, so that what else the machine does meets both. The best of all rounds counts.
 */
const { values } = parseArgs({
  options: {
    beside: { type: "string" },
    dialects: { type: "string", default: "llmkube,ome,aim" },
    services: { type: "string", default: "300" },
    rounds: { type: "string", default: "3" },
  },
});
const here = resolve(import.meta.dirname, "..");
const trees = values.beside === undefined ? [here] : [resolve(values.beside), here];
const script = join(import.meta.dirname, "dialects/measure-fleet.ts");

for (const dialect of values.dialects.split(",")) {
  const rounds: FleetFigures[][] = trees.map(() => []);
  for (let round = 0; round < Number(values.rounds); round += 1)
    for (const [at, tree] of trees.entries()) rounds[at]?.push(await measure(tree, dialect));
  const best = rounds.map((figures) => bestOf(figures));
  const services = Number(values.services);
  const row = (name: string, show: (figures: FleetFigures) => string): string[] => [name, ...best.map(show)];
  printTable([
    [`${dialect}, ${services} services`, ...(trees.length === 1 ? [""] : ["beside", "this tree"])],
    row("processor time of server and operator", ({ processor }) => seconds(processor)),
    row("… of one decision at rest", ({ decision }) => `${decision.toFixed(3)} ms`),
    row("passes a service", ({ passes }) => (passes / services).toFixed(2)),
    row("… of all reconcilers", ({ allPasses }) => (allPasses / services).toFixed(2)),
    row("writes a service, with Events and all else", ({ writes }) => (writes / services).toFixed(2)),
  ]);
}

async function measure(tree: string, dialect: string): Promise<FleetFigures> {
  const { stdout } = await promisify(execFile)(process.execPath, [script, tree, dialect, values.services]);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as FleetFigures;
}

function bestOf(figures: readonly FleetFigures[]): FleetFigures {
  const min = (of: keyof FleetFigures): number => Math.min(...figures.map((one) => one[of]));
  const keys = Object.keys(figures[0] ?? {}) as (keyof FleetFigures)[];
  return Object.fromEntries(keys.map((key) => [key, min(key)])) as unknown as FleetFigures;
}
