import { performance } from "node:perf_hooks";
import { startControlPlane } from "./control-plane.ts";
import { dialects } from "./definitions.ts";
import type { UpOptions } from "./options.ts";
import { releaseStartUpGarbage } from "./start-up-garbage.ts";

/** Starts the control plane, says what runs where, and resolves when it was asked to stop and has stopped. */
export async function up(options: UpOptions, print: (line: string) => void): Promise<void> {
  const wanted = stopSignal();
  const plane = await startControlPlane(options);
  print(`control plane   ${plane.url} (started in ${(performance.now() / 1000).toFixed(2)} s)`);
  print(`kubeconfig      ${plane.home.kubeconfig}`);
  print(`state           ${plane.home.path}`);
  for (const dialect of dialects) print(`${dialect.name.padEnd(15)} ${dialect.kinds.length} kinds of ${dialect.group}`);
  print("");
  print(`next            export KUBECONFIG=${quoteForShell(plane.home.kubeconfig)}`);
  print("                kubectl api-resources");
  if (!isLoopback(options.host)) print(`warning         ${options.host} is open to others on the network`);
  print("");
  print("ready");
  releaseStartUpGarbage();
  await wanted;
  print("stopping …");
  await plane.stop();
  print("stopped");
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
