import { isReason, type KubeClient, type LogOptions, type Pod } from "@trivium/kube";
import { Refusal } from "@trivium/std";
import type { AccessOptions } from "../access.ts";
import { listPods } from "../cluster/owned.ts";
import { findService } from "../cluster/service.ts";
import { withCluster } from "../cluster/session.ts";
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
  readonly prefix: string;
}

/** The logs of every container of a service, on standard output. */
export async function printLogs(name: string, options: LogsOptions): Promise<void> {
  await withCluster(options, async ({ client, namespace }) => {
    const service = await findService(client, name, namespace);
    const sources = sourcesOf(await listPods(client, service), options.container);
    if (sources.length === 0) throw new Refusal(`service ${name} has no containers to read; trivium explain shows why`);
    const signal = untilInterrupted();
    await Promise.all(sources.map((source) => copy(client, source, { namespace, options, signal })));
  });
}

/** Lines name their container only where there are several. */
function sourcesOf(pods: readonly Pod[], wanted: string | undefined): Source[] {
  const all = pods.flatMap(({ metadata, spec }) =>
    [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])]
      .filter(({ name }) => wanted === undefined || name === wanted)
      .map(({ name }) => ({ pod: metadata.name ?? "", container: name })),
  );
  return all.map((one) => ({ ...one, prefix: all.length === 1 ? "" : `[${one.pod}/${one.container}] ` }));
}

interface Copying {
  readonly namespace: string;
  readonly options: LogsOptions;
  readonly signal: AbortSignal;
}

async function copy(client: KubeClient, source: Source, { namespace, options, signal }: Copying): Promise<void> {
  const { follow, tail, previous } = options;
  const log: LogOptions = {
    container: source.container,
    signal,
    ...(follow === true ? { follow } : {}),
    ...(previous === true ? { previous } : {}),
    ...(tail === undefined ? {} : { tailLines: tail }),
  };
  try {
    for await (const line of client.log({ namespace, name: source.pod }, log))
      write(`${source.prefix}${line.replace(/\n$/, "")}`);
  } catch (error) {
    // A container that has not started has no log yet; one that never restarted has no previous one.
    if (!isReason(error, "BadRequest", "NotFound")) throw error;
  }
}

/** A terminal gets the colours of a log and no other command; a carriage return begins a progress line again, as a pipe gets it. */
function write(line: string): void {
  const shown = process.stdout.isTTY === true ? line.split("\r").map(printableWithColours).join("\r") : line;
  process.stdout.write(`${shown}\n`);
}
