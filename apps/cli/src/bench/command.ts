import { runProgram } from "@trivium/load";
import { defaultHome, findRunning } from "@trivium/local";
import { noControlPlane } from "../access.ts";
import { runPart } from "../commands/part.ts";

/** Measures a service behind the gateway of this machine, or with `--url` any server. */
export async function bench(words: readonly string[]): Promise<void> {
  const [service, ...rest] = words;
  if (service === undefined || service.startsWith("-")) return runPart(runProgram, words);
  const record = findRunning(defaultHome(process.env));
  if (record === undefined) throw noControlPlane("measure a server with --url");
  const model = service.includes("/") ? service : `default/${service}`;
  const output = rest.includes("--output") ? [] : ["--output", `bench-${service.replaceAll("/", "-")}`];
  const key = process.env.TRIVIUM_API_KEY;
  if (key) process.env.MODEL_API_KEY ??= key;
  return runPart(runProgram, [
    "--url",
    `http://127.0.0.1:${record.ports.gateway}`,
    "--model",
    model,
    ...output,
    ...rest,
  ]);
}
