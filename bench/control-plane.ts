import { cpus, loadavg } from "node:os";
import { NoCluster } from "../tools/cluster/build.ts";
import { measureRun } from "./control-plane/measure.ts";
import { parseBenchOptions } from "./control-plane/options.ts";
import { rowsOf } from "./control-plane/run-figures.ts";
import { printTable } from "./support/table.ts";

/**
 * What users run: the bundled operator with its default flags and no more rights than it prints, on a real control plane where no node
 * runs pods. Services are created from outside, and everything is counted from outside: by the audit log of the API server, by the
 * kernel, and by what the operator serves for Prometheus. A bare client makes the same writes on the same control plane.
 * `--services=300,1000 --dialects=llmkube,aim,ome --idle=60 --limit=300 --operator='<another command>'`
 */
const options = parseBenchOptions(process.argv.slice(2));
try {
  for (const dialect of options.dialects)
    for (const services of options.services) {
      const load = (loadavg()[0] ?? 0).toFixed(1);
      printTable(rowsOf(await measureRun(dialect, services, options)));
      console.log(`${new Date().toISOString().slice(0, 10)}, ${cpus().length} processors, load ${load} at the start\n`);
    }
} catch (error) {
  if (!(error instanceof NoCluster)) throw error;
  console.log(`not measured: ${error.message}`);
}
