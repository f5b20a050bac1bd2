import { writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { NoCluster } from "../tools/cluster/build.ts";
import { measureRun } from "./control-plane/measure.ts";
import { parseBenchOptions } from "./control-plane/options.ts";
import { plotOf } from "./control-plane/plot.ts";
import { growthRows, type RunFigures, rowsOf } from "./control-plane/run-figures.ts";
import { printTable } from "./support/table.ts";

/**
 * What users run: the bundled operator with its default flags and no more rights than it prints, on a real control plane where no node
 * runs pods, or staged ones do. Services are created from outside, and everything is counted from outside: by the audit log of the API server, by the
 * kernel, and by what the operator serves for Prometheus. A bare client makes the same writes on the same control plane.
 * `--services=300,1000 --dialects=llmkube,aim,ome --nodes=none,staged --plot=file.svg --idle=60 --limit=300 --operator='<another command>'`
 */
const options = parseBenchOptions(process.argv.slice(2));
const plans = options.dialects.flatMap((dialect) =>
  options.nodes.flatMap((nodes) => options.services.map((services) => ({ dialect, nodes, services }))),
);
const runs: RunFigures[] = [];
try {
  for (const plan of plans) {
    const load = (loadavg()[0] ?? 0).toFixed(1);
    const figures = await measureRun(plan, options);
    runs.push(figures);
    printTable(rowsOf(figures));
    console.log(`${new Date().toISOString().slice(0, 10)}, ${cpus().length} processors, load ${load} at the start\n`);
  }
  const growth = growthRows(runs);
  if (growth.length > 0)
    printTable([["growth", "services", "passes", "processor time", "memory a service"], ...growth]);
  if (options.plot !== undefined) writeFileSync(options.plot, plotOf(runs));
} catch (error) {
  if (!(error instanceof NoCluster)) throw error;
  console.log(`not measured: ${error.message}`);
}
