// Runs the measurements of bench/, all of them or those whose name contains one of the words given.
import { globSync } from "node:fs";
import { run } from "./run.ts";

const wanted = process.argv.slice(2);
const files = globSync("bench/*.ts").filter(
  (path) => wanted.length === 0 || wanted.some((word) => path.includes(word)),
);
for (const file of files.sort()) {
  console.log(`\n${file}`);
  const status = await run(process.execPath, [file]);
  if (status !== 0) process.exit(status);
}
