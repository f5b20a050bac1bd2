// Everything that can be said of the code without running it. Prints each step; fails at the end if any failed.
import { run } from "./run.ts";

const node = process.execPath;
const steps: readonly (readonly [string, string, readonly string[]])[] = [
  ["format and lint", "biome", ["check", "--error-on-warnings", "."]],
  ["types", "tsc", ["-p", "."]],
  ["types of the dashboard", "tsc", ["-p", "apps/dashboard"]],
  ["names", node, ["scripts/check-names.ts"]],
  ["architecture", node, ["scripts/check-architecture.ts"]],
  ["structure", node, ["scripts/check-structure.ts"]],
  ["custom resource definitions are current", node, ["scripts/generate-crds.ts", "--check"]],
  ["charts are current", node, ["scripts/generate-charts.ts", "--check"]],
  ["reference pages are current", node, ["scripts/generate-reference.ts", "--check"]],
  ["tables of upstream fields are current", node, ["scripts/generate-upstream.ts", "--check"]],
  ["command line reference is current", node, ["scripts/generate-cli.ts", "--check"]],
  ["list of messages is current", node, ["scripts/generate-messages.ts", "--check"]],
  ["pictures are current", node, ["scripts/generate-pictures.ts", "--check"]],
  ["language", node, ["scripts/check-language.ts"]],
  ["documents", node, ["scripts/check-documents.ts"]],
];

const failed: string[] = [];
for (const [name, program, args] of steps) {
  console.log(`check: ${name}`);
  if ((await run(program, args)) !== 0) failed.push(name);
}
if (failed.length > 0) {
  console.error(`failed: ${failed.join(", ")}`);
  process.exit(1);
}
console.log("all checks passed");
