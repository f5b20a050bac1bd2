import { namespaceOption } from "@trivium/engines";
import { isReason, type KubeClient, type LogOptions, type Pod } from "@trivium/kube";
import { Refusal } from "@trivium/std";
import type { AccessOptions } from "../access.ts";
import { listPods } from "../cluster/owned.ts";
import { type FoundService, findService } from "../cluster/service.ts";
import { withCluster } from "../cluster/session.ts";
import { standingOf } from "../explain/state.ts";
import { untilInterrupted } from "../interrupt.ts";
import { printableWithColours } from "../print.ts";

export interface LogsOptions extends AccessOptions {
  readonly follow?: boolean;
  readonly tail?: number;
  readonly container?: string;
  readonly previous?: boolean;
}

interface Source {
  readonly pod: string;
  readonly container: string;
  /** It runs, or ran before. */
  readonly hasStarted: boolean;
  readonly prefix: string;
}

/** The logs of every container of a service, on standard output. */
export async function printLogs(name: string, options: LogsOptions): Promise<void> {
  await withCluster(options, async ({ client, namespace }) => {
    const service = await findService(client, name, namespace);
    const pods = await listPods(client, service);
    if (pods.length === 0) throw withoutLogs(name, service, `service ${name} has no pods, so there are no logs`);
    const sources = sourcesOf(pods, options.container);
    if (sources.length === 0) throw withoutContainer(options.container ?? "", pods);
    const signal = untilInterrupted();
    const wasRead = await Promise.all(sources.map((source) => copy(client, source, { namespace, options, signal })));
    if (wasRead.includes(true) || (options.previous !== true && sources.some(({ hasStarted }) => hasStarted))) return;
    const what = options.previous === true ? "restarted" : "started";
    throw withoutLogs(name, service, `no container of service ${name} has ${what}, so there are no logs`);
  });
}

function withoutContainer(wanted: string, pods: readonly Pod[]): Refusal {
  const known = [...new Set(pods.flatMap(containersOf))];
  return new Refusal(`no pod of the service has a container ${wanted}; choose one of ${known.join(", ")}`);
}

/** A container that never ran left no log: the status of the service says why. */
function withoutLogs(name: string, { object }: FoundService, what: string): Refusal {
  const { is, why } = standingOf(object);
  const cause = is === "ready" || why === undefined ? "" : `: ${why}`;
  return new Refusal(
    `${what}${cause}; trivium explain ${name}${namespaceOption(object.metadata.namespace)} shows more`,
  );
}

/** Lines name their container only where there are several. */
export function sourcesOf(pods: readonly Pod[], wanted: string | undefined): Source[] {
  const all = pods.flatMap((pod) =>
    (wanted === undefined ? mainContainersOf(pod) : containersOf(pod).filter((name) => name === wanted)).map(
      (name) => ({
        pod: pod.metadata.name ?? "",
        container: name,
        hasStarted: hasStarted(pod.status, name),
      }),
    ),
  );
  return all.map((one) => ({ ...one, prefix: all.length === 1 ? "" : `[${one.pod}/${one.container}] ` }));
}

const containersOf = ({ spec }: Pod): string[] =>
  [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ name }) => name);

/** Those that serve. What a download before them has logged is of interest until one of them starts. */
function mainContainersOf(pod: Pod): string[] {
  const serving = (pod.spec?.containers ?? []).map(({ name }) => name);
  return serving.some((name) => hasStarted(pod.status, name)) ? serving : containersOf(pod);
}

function hasStarted(status: Pod["status"], container: string): boolean {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const { state, lastState } = all.find(({ name }) => name === container) ?? {};
  return [state?.running, state?.terminated, lastState?.terminated].some((one) => one !== undefined);
}

interface Copying {
  readonly namespace: string;
  readonly options: LogsOptions;
  readonly signal: AbortSignal;
}

/** Whether anything was written. */
async function copy(client: KubeClient, source: Source, { namespace, options, signal }: Copying): Promise<boolean> {
  const { follow, tail, previous } = options;
  const log: LogOptions = {
    container: source.container,
    signal,
    ...(follow === true ? { follow } : {}),
    ...(previous === true ? { previous } : {}),
    ...(tail === undefined ? {} : { tailLines: tail }),
  };
  let wasRead = false;
  try {
    for await (const line of client.log({ namespace, name: source.pod }, log)) {
      write(`${source.prefix}${line.replace(/\n$/, "")}`);
      wasRead = true;
    }
  } catch (error) {
    // A container that has not started has no log yet; one that never restarted has no previous one.
    if (!isReason(error, "BadRequest", "NotFound")) throw error;
  }
  return wasRead;
}

/** A terminal gets the colours of a log and no other command; a carriage return begins a progress line again, as a pipe gets it. */
function write(line: string): void {
  const shown = process.stdout.isTTY === true ? line.split("\r").map(printableWithColours).join("\r") : line;
  process.stdout.write(`${shown}\n`);
}
