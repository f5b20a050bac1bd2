import { setTimeout as sleep } from "node:timers/promises";
import { formatMemory } from "@trivium/engines";
import type { Pod } from "@trivium/kube";
import { findRunning } from "@trivium/local";
import { type AccessOptions, homesOf } from "../access.ts";
import { listPods } from "../cluster/owned.ts";
import { type FoundService, findService, listServices } from "../cluster/service.ts";
import { type Session, withCluster } from "../cluster/session.ts";
import { formatTable } from "../get/table.ts";
import { untilInterrupted } from "../interrupt.ts";
import { printable } from "../print.ts";
import { addFigures, isUnfinished, type PodFigures, readFigures } from "./figures.ts";
import { readMemory } from "./pod-memory.ts";

export interface TopOptions extends AccessOptions {
  readonly watch?: boolean;
  readonly output: "table" | "json";
}

interface Row extends PodFigures {
  readonly name: string;
  readonly api: string;
  readonly pods: number;
  readonly tokensPerSecond?: number | undefined;
}

/** Long enough to see tokens being generated, short enough to wait for. */
const window = 1_000;
const refresh = 2_000;

/** What services need and do right now, from their own metrics; memory from those of Kubernetes where a server reports none. */
export async function top(name: string | undefined, options: TopOptions): Promise<void> {
  await withCluster(options, async (session) => {
    const signal = untilInterrupted();
    do {
      const rows = await measure(session, name, options);
      if (options.watch === true && process.stdout.isTTY) process.stdout.write("\x1b[H\x1b[2J");
      process.stdout.write(printable(options.output === "json" ? `${JSON.stringify(rows, null, 2)}\n` : print(rows)));
      if (options.watch === true) await sleep(refresh, undefined, { signal }).catch(() => undefined);
    } while (options.watch === true && !signal.aborted);
  });
}

async function measure(session: Session, name: string | undefined, options: TopOptions): Promise<Row[]> {
  const { client, namespace } = session;
  const services =
    name === undefined ? await listServices(client, namespace) : [await findService(client, name, namespace)];
  const found = await Promise.all(
    services.map(async (service) => ({ service, pods: (await listPods(client, service)).filter(isUnfinished) })),
  );
  const reader = readerOf(session, options);
  const memory = await readMemory(session.transport, namespace);
  const first = await Promise.all(found.map(({ pods }) => figuresOf(pods, reader)));
  await sleep(window);
  const second = await Promise.all(found.map(({ pods }) => figuresOf(pods, reader)));
  const rows = found.map(({ service, pods }, at) => {
    const { memoryBytes } = addFigures(pods.map(({ metadata }) => ({ memoryBytes: memory.get(metadata.name ?? "") })));
    return rowOf(service, pods.length, [
      first[at] ?? {},
      { ...second[at], memoryBytes: second[at]?.memoryBytes ?? memoryBytes },
    ]);
  });
  return rows.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

const keyOf = ({ name, api }: Row): string => `${name} ${api}`;

function rowOf({ dialect, object }: FoundService, pods: number, [before, now]: [PodFigures, PodFigures]): Row {
  const tokens = before.tokens === undefined || now.tokens === undefined ? undefined : now.tokens - before.tokens;
  return {
    name: object.metadata.name ?? "",
    api: dialect.name,
    pods,
    ...now,
    tokensPerSecond: tokens === undefined || tokens < 0 ? undefined : tokens / (window / 1000),
  };
}

type Reader = (pod: Pod, port: number) => Promise<string>;

/** Pods of this machine are reached directly, those of a cluster through the proxy of its API server. */
function readerOf({ access, transport }: Session, options: TopOptions): Reader {
  const isHere = homesOf(options).some((home) => findRunning(home)?.url === access.server);
  if (isHere)
    return async ({ status }, port) => {
      const response = await fetch(`http://${status?.podIP}:${port}/metrics`, { signal: AbortSignal.timeout(3_000) });
      return response.ok ? response.text() : "";
    };
  return async ({ metadata }, port) => {
    const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}:${port}/proxy/metrics`;
    const { status, body } = await transport({ method: "GET", path, headers: { accept: "text/plain" } });
    return status < 400 && typeof body === "string" ? body : "";
  };
}

async function figuresOf(pods: readonly Pod[], read: Reader): Promise<PodFigures> {
  const all = await Promise.all(
    pods.map(async (pod) => {
      const port = pod.spec?.containers.flatMap(({ ports = [] }) => ports)[0]?.containerPort;
      if (port === undefined || pod.status?.podIP === undefined) return {};
      // A pod that does not respond has no figures; explain shows why.
      return read(pod, port).then(readFigures, () => ({}));
    }),
  );
  return addFigures(all);
}

function print(rows: readonly Row[]): string {
  if (rows.length === 0) return "no services; trivium run MODEL starts one\n";
  const shown = (value: number | undefined, format: (one: number) => string = String): string =>
    value === undefined ? "-" : format(value);
  const body = rows.map(({ name, api, pods, memoryBytes, tokensPerSecond, running, waiting }) => [
    ...[name, api, String(pods), shown(memoryBytes, formatMemory)],
    ...[shown(tokensPerSecond, (rate) => rate.toFixed(1)), shown(running), shown(waiting)],
  ]);
  return formatTable([["NAME", "API", "PODS", "MEMORY", "TOKENS/S", "RUNNING", "WAITING"], ...body]);
}
