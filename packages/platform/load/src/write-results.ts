import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeReportPage } from "@trivium/engines";
import type { Measured } from "./run-benchmark.ts";

/** Puts everything into a folder; returns the paths of what was written. */
export async function writeResults(folder: string, { report, runs }: Measured): Promise<string[]> {
  await mkdir(join(folder, "runs"), { recursive: true });
  const written: string[] = [];
  const write = async (name: string, content: string): Promise<void> => {
    await writeFile(join(folder, name), content);
    written.push(join(folder, name));
  };
  for (const { report: run, records } of runs) {
    const name = `${run.scenario.replace(/[^A-Za-z0-9]+/g, "-").replace(/-$/, "")}-c${run.concurrency}.json`;
    await write(join("runs", name), `${JSON.stringify({ schema: report.schema, ...run, records }, null, 1)}\n`);
  }
  await write("results.json", `${JSON.stringify(report, null, 2)}\n`);
  await write("report.html", writeReportPage(report));
  return written;
}
