import { performance } from "node:perf_hooks";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { dialects } from "./definitions.ts";
import { runDemo } from "./demo.ts";
import type { UpOptions } from "./options.ts";
import { releaseStartUpGarbage } from "./start-up-garbage.ts";

/** Starts the control plane, says what runs where, and resolves when it was asked to stop and has stopped. */
export async function up(options: UpOptions, print: (line: string) => void): Promise<void> {
  const wanted = stopSignal();
  const plane = await startControlPlane(options);
  print(`control plane   ${plane.url} (started in ${(performance.now() / 1000).toFixed(2)} s)`);
  print(`gateway         ${plane.gateway} (OpenAI requests and routes)`);
  print(`metrics         ${plane.metrics}`);
  print(`node            ${plane.node}`);
  print(`kubeconfig      ${plane.home.kubeconfig}`);
  print(`state           ${plane.home.path}`);
  for (const dialect of dialects) print(`${dialect.name.padEnd(15)} ${dialect.kinds.length} kinds of ${dialect.group}`);
  print("");
  print(`next            export KUBECONFIG=${quoteForShell(plane.home.kubeconfig)}`);
  print("                kubectl api-resources");
  if (!isLoopback(options.host)) print(`warning         ${options.host} is open to others on the network`);
  print("");
  const ending = new AbortController();
  void wanted.then(() => ending.abort());
  if (options.demo) await showDemo(plane, ending.signal, print);
  if (!ending.signal.aborted) print("ready");
  releaseStartUpGarbage();
  await wanted;
  print("stopping …");
  await plane.stop();
  print("stopped");
}

/** What goes wrong with the demo is told and ends nothing: the control plane is there for more. */
async function showDemo(plane: ControlPlane, signal: AbortSignal, print: (line: string) => void): Promise<void> {
  try {
    await plane.settled();
    await runDemo({ client: plane.client, gateway: plane.gateway, signal, print });
    print("");
  } catch (error) {
    if (!signal.aborted) print(`warning         the demo: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Resolves at the first Ctrl-C or terminate; further ones change nothing, since a terminal and a parent may both send it. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve());
  });
}

const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || host.startsWith("127.");

/** As it can be typed into a shell; most paths need no quotes. */
const quoteForShell = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
