import { createClient, httpTransport } from "@trivium/client";
import { dialects, findRunning } from "@trivium/local";
import { Refusal } from "@trivium/std";
import { type AccessOptions, accessOf, homeBehind, NoControlPlane } from "../access.ts";
import { countOf } from "../count.ts";
import { formatTable } from "../get/table.ts";
import {
  checkClock,
  checkNeighbours,
  checkNodes,
  checkRivals,
  checkServer,
  checkStorage,
  checkWebhooks,
} from "./cluster.ts";
import { checkDefinitions } from "./definitions.ts";
import { type Finding, problem } from "./finding.ts";
import { checkMachine } from "./machine.ts";
import { checkOutside } from "./outside.ts";

export interface DoctorOptions extends AccessOptions {
  readonly home: string;
  readonly output: "text" | "json";
  /** False leaves hubs and registries alone. */
  readonly outside?: boolean;
}

/** Checks this machine, the cluster and what both need from outside. The exit code is 1 where something is a problem. */
export async function examine(options: DoctorOptions): Promise<{ readonly text: string; readonly exitCode: number }> {
  const checked = checkCluster(options);
  const [machine, cluster, outside] = await Promise.all([
    checked.then((found) => checkMachine(options.home, { isOnlyCluster: found === undefined })),
    checked,
    options.outside === false ? [] : checkOutside(process.env),
  ]);
  const findings = [...machine, ...(cluster ?? []), ...outside];
  const exitCode = findings.some(({ is }) => is === "problem") ? 1 : 0;
  const text = options.output === "json" ? `${JSON.stringify(findings, null, 2)}\n` : printFindings(findings);
  return { text, exitCode };
}

/** Nothing where it would be the control plane of this machine, which does not run: the check of the machine says so. */
async function checkCluster({ home: _, ...options }: DoctorOptions): Promise<readonly Finding[] | undefined> {
  const access = await accessOf(options).catch((error: unknown) => {
    if (error instanceof Refusal) return error;
    throw error;
  });
  if (access instanceof NoControlPlane) return undefined;
  if (access instanceof Refusal)
    return [problem("kubeconfig", access.message, "correct it, or choose another one with --kubeconfig")];
  const transport = httpTransport(access);
  const own = homeBehind(access.server, options);
  const isOwn = own !== undefined;
  try {
    const client = createClient(transport);
    const { namespace = access.namespace } = options;
    const server = await checkServer(transport, access.server);
    const checks = await Promise.all([
      checkDefinitions(client, dialects),
      checkRivals(client, dialects),
      checkWebhooks(client, dialects),
      checkNeighbours(client, dialects),
      checkNodes(client, isOwn ? undefined : "install the device plugin of the GPU vendor"),
      checkStorage(client),
      checkClock(client, namespace, Date.now()),
    ]);
    return [server, ...checks.flat().filter((one) => one !== undefined)];
  } catch (error) {
    if (own !== undefined && findRunning(own) === undefined) return undefined;
    const why = error instanceof Error ? error.message : String(error);
    const fix = isOwn ? "restart it with trivium restart" : `correct context ${access.context} of the kubeconfig`;
    return [problem("API server", `${access.server} does not respond: ${why}`, fix)];
  } finally {
    await transport.close();
  }
}

export function printFindings(findings: readonly Finding[]): string {
  const rows = findings.map(({ check, is, found, fix }) => [is, check, fix === undefined ? found : `${found}; ${fix}`]);
  const count = (is: Finding["is"]): number => findings.filter((one) => one.is === is).length;
  return `${formatTable(rows)}\n${countOf(count("problem"), "problem")}, ${countOf(count("warning"), "warning")}\n`;
}
