import { performance } from "node:perf_hooks";
import { CustomResourceDefinition, type KubeClient } from "@trivium/kube";
import { llmkube } from "@trivium/llmkube";
import type { Dialect } from "@trivium/reconcile";
import { isLoopback } from "@trivium/std";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { dialects, dialectsOf } from "./definitions.ts";
import { runDemo } from "./demo.ts";
import type { UpOptions } from "./options.ts";
import { releaseStartUpGarbage } from "./start-up-garbage.ts";
import { describeStored } from "./weight-stores.ts";

/**
 * Starts the control plane, says what runs where, and resolves when it was asked to stop and has stopped. Asked while it starts, it ends
 * what it has started.
 */
export async function up(options: UpOptions, ending: AbortSignal, print: (line: string) => void): Promise<void> {
  const plane = await startUnlessStopped(options, ending);
  if (plane === undefined) {
    print("stopped while starting; nothing runs");
    return;
  }
  // Whatever happens while it runs, nothing that it started outlives it.
  await using running = new AsyncDisposableStack();
  running.defer(() => plane.stop());
  await announce(plane, options, print);
  const chosen = dialectsOf(options.dialects);
  // The demo is a service of LLMKube.
  if (options.demo && chosen.some(({ name }) => name === llmkube.name)) await showDemo(plane, ending, print);
  if (!ending.aborted) print("ready");
  releaseStartUpGarbage();
  await aborted(ending);
  print("stopping");
  await running.disposeAsync();
  print("stopped");
}

/** Nothing where the start was stopped: a part that fails then has been ended with the rest, whatever it reports. */
async function startUnlessStopped(options: UpOptions, ending: AbortSignal): Promise<ControlPlane | undefined> {
  try {
    return await startControlPlane(options, ending);
  } catch (error) {
    if (ending.aborted) return undefined;
    throw error;
  }
}

/** What runs where. */
async function announce(plane: ControlPlane, options: UpOptions, print: (line: string) => void): Promise<void> {
  print(`control plane   ${plane.url} (started in ${(performance.now() / 1000).toFixed(2)}s)`);
  print(`gateway         ${plane.gateway} (OpenAI API and HTTPRoutes)`);
  if (plane.dashboard !== undefined) print(`dashboard       ${shownDashboard(plane.dashboard)}`);
  print(`metrics         ${plane.metrics}`);
  print(`node            ${plane.node}`);
  print(`kubeconfig      ${plane.home.kubeconfig}`);
  print(`state           ${plane.home.path}`);
  const stored = await describeStored(plane.home.path);
  if (stored !== undefined) print(`weights         ${stored}`);
  const chosen = dialectsOf(options.dialects);
  for (const { name, kinds, group } of chosen) print(`${name.padEnd(15)} ${kinds.length} kinds in ${group}`);
  for (const line of await leftOvers(plane.client, chosen)) print(line);
  print("");
  print(`next            export KUBECONFIG=${quoteForShell(plane.home.kubeconfig)}`);
  print("                kubectl api-resources");
  if (!isLoopback(options.host)) for (const line of warningsOf(options.host, plane.gatewayKeys)) print(line);
  print("");
}

/** A terminal and a file of the home are this user's alone; the journal of the system is not, and gets no token. */
const shownDashboard = (address: string): string =>
  process.env.JOURNAL_STREAM === undefined
    ? address
    : `${address.replace(/#.*/, "")} (trivium status prints the address with its token)`;

/** Definitions of an earlier start with more dialects stay, because their objects would go with them. */
async function leftOvers(client: KubeClient, chosen: readonly Dialect[]): Promise<string[]> {
  const { items } = await client.list(CustomResourceDefinition);
  const served = new Set(items.map(({ spec }) => spec.group));
  return dialects
    .filter((one) => !chosen.includes(one) && served.has(one.group))
    .map(
      ({ name, group }) =>
        `${name.padEnd(15)} not running; kinds and objects in ${group} from an earlier start are kept`,
    );
}

/** What goes wrong with the demo is told and ends nothing: the control plane is there for more. */
async function showDemo(plane: ControlPlane, signal: AbortSignal, print: (line: string) => void): Promise<void> {
  try {
    await Promise.race([plane.settled(), aborted(signal)]);
    if (!signal.aborted)
      await runDemo({ client: plane.client, gateway: plane.gateway, key: plane.gatewayKeys[0], signal, print });
    print("");
  } catch (error) {
    if (!signal.aborted) print(`warning         the demo: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve());
    if (signal.aborted) resolve();
  });

/** Others can reach the machine: with a key that may be meant, without one it must be loud. */
function warningsOf(host: string, keys: readonly string[]): string[] {
  const open = `warning         other machines on the network can reach ${host}`;
  if (keys.length > 0) return [`${open}; the gateway requires an API key`];
  return [
    open,
    "                The gateway requires no API key: anyone who can reach it can use all models",
    "                Set TRIVIUM_API_KEY or --api-key-file, or listen on 127.0.0.1",
  ];
}

/** As it can be typed into a shell; most paths need no quotes. */
const quoteForShell = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
