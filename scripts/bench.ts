// Runs the measurements of bench/, all of them or those whose name contains one of the words given. Flags are handed on.
import { globSync } from "node:fs";
import { run } from "./run.ts";

const given = process.argv.slice(2);
const wanted = given.filter((word) => !word.startsWith("-"));
const flags = given.filter((word) => word.startsWith("-"));
const files = globSync("bench/*.ts").filter(
  (path) => wanted.length === 0 || wanted.some((word) => path.includes(word)),
);
for (const file of files.sort()) {
  console.log(`\n${file}`);
  const status = await run(process.execPath, [file, ...flags]);
  if (status !== 0) process.exit(status);
}
