// Writes every generated file. With a folder of Kubernetes facts as argument, the built-in kinds too.
import { run } from "./run.ts";

const [facts] = process.argv.slice(2);
const steps = [
  ...(facts === undefined ? [] : [["scripts/generate-kube.ts", "--from", facts]]),
  ["scripts/generate-crds.ts"],
  ["scripts/generate-charts.ts"],
  ["scripts/generate-reference.ts"],
  ["scripts/generate-upstream.ts"],
  ["scripts/generate-cli.ts"],
  ["scripts/generate-messages.ts"],
  ["scripts/generate-pictures.ts"],
];
for (const step of steps) {
  const status = await run(process.execPath, step);
  if (status !== 0) process.exit(status);
}
