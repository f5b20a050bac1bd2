import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { NoCluster } from "../tools/cluster/build.ts";
import { measuredPart, replaceMeasured } from "./control-plane/document.ts";
import { measureRun, type RunPlan } from "./control-plane/measure.ts";
import { parseBenchOptions } from "./control-plane/options.ts";
import { plotOf } from "./control-plane/plot.ts";
import { addResult, readResults } from "./control-plane/results.ts";
import { growthRows, rowsOf } from "./control-plane/run-figures.ts";
import { printTable, seconds } from "./support/table.ts";

/**
 * What users run: the bundled operator with its default flags and no more rights than it prints, on a real control plane where no node
 * runs pods, or staged ones do. Services are created from outside, and everything is counted from outside: by the audit log of the API server, by the
 * kernel, and by what the operator serves for Prometheus. A bare client makes the same writes on the same control plane. Each run is written to a file
 * as it ends; what fails is reported, and the next run follows.
 * `--services=300,1000 --dialects=llmkube,aim,ome --nodes=none,staged --idle=60 --limit=300 --operator='<another command>' --write-docs`
 */
const options = parseBenchOptions(process.argv.slice(2));
const began = performance.now();
const plans: readonly RunPlan[] = options.reportOnly
  ? []
  : options.services.flatMap((services) =>
      options.dialects.flatMap((dialect) => options.nodes.map((nodes) => ({ dialect, nodes, services }))),
    );
for (const plan of plans) await run(plan);
report();
console.log(`${plans.length} runs took ${seconds(performance.now() - began)}; results are in ${options.results}`);

async function run(plan: RunPlan): Promise<void> {
  const load = loadavg()[0] ?? 0;
  try {
    const figures = await measureRun(plan, options);
    const { operator: command, operatorName = command } = options;
    const operator = command === undefined ? undefined : operatorName;
    const date = new Date().toISOString().slice(0, 10);
    const machine = { date, processors: cpus().length, load, ...(operator === undefined ? {} : { operator }) };
    addResult(options.results, { ...figures, ...machine });
    printTable(rowsOf(figures));
    console.log(`${date}, ${machine.processors} processors, load ${load.toFixed(1)} at the start\n`);
  } catch (error) {
    process.exitCode = 1;
    const why = error instanceof NoCluster ? error.message : error;
    console.log(`${plan.dialect}, ${plan.services} services, nodes ${plan.nodes}: not measured:`, why);
  }
}

function report(): void {
  const results = readResults(options.results);
  const own = results.filter(({ operator }) => operator === undefined);
  const growth = growthRows(own);
  if (growth.length > 0)
    printTable([["growth", "services", "passes", "processor time", "memory a service"], ...growth]);
  if (results.length === 0) return;
  if (options.plot !== undefined) writeFileSync(options.plot, plotOf(own));
  if (!options.writeDocs) return;
  const page = "docs/internals/performance.md";
  writeFileSync("docs/internals/control-plane.svg", plotOf(own));
  writeFileSync(page, replaceMeasured(readFileSync(page, "utf8"), measuredPart(results, "control-plane.svg")));
}
