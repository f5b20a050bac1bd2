import { runProgram } from "@trivium/load";
import { type EndpointOptions, openEndpoint } from "../chat/endpoint.ts";
import { runPart } from "../commands/part.ts";
import { announce } from "../screen.ts";
import { openRelay } from "./relay.ts";

/** Measures a service: behind the gateway of this machine, or through the API server of a cluster; with `--url` any server. */
export async function bench(words: readonly string[], options: EndpointOptions): Promise<void> {
  const [service, ...rest] = words;
  if (service === undefined || service.startsWith("-")) return runPart(runProgram, words);
  const endpoint = await openEndpoint(service, options);
  const relay = endpoint.url === undefined ? await openRelay(endpoint) : undefined;
  if (relay !== undefined) announce(`Measuring through ${endpoint.address}; its proxy is part of the figures`);
  const output = rest.includes("--output") ? [] : ["--output", `bench-${service.replaceAll("/", "-")}`];
  const key = process.env.TRIVIUM_API_KEY;
  if (relay !== undefined) process.env.MODEL_API_KEY = relay.key;
  else if (key) process.env.MODEL_API_KEY ??= key;
  try {
    const url = endpoint.url ?? relay?.url ?? "";
    await runPart(runProgram, ["--url", url, "--model", endpoint.model, ...output, ...rest]);
  } finally {
    await relay?.close();
    await endpoint.close();
  }
}
