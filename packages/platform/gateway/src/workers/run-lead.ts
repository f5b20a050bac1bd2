import type { MetricsAccess } from "@trivium/client";
import type { KubeClient } from "@trivium/kube";
import type { Log } from "@trivium/runtime";
import { openAdmin } from "../admin.ts";
import { ownAccess } from "../gateway.ts";
import { closeServer, listen, urlOf } from "../listening.ts";
import type { ProgramOptions } from "../options.ts";
import { Crew } from "./crew.ts";
import { AllFigures } from "./figures.ts";
import { LeadProcess } from "./lead.ts";

export interface LeadParts {
  readonly client: KubeClient;
  readonly log: Log;
  readonly metricsReaders?: MetricsAccess | undefined;
}

/** What the program sees of a gateway, whether it is one process or several. */
export interface Serving {
  readonly url: string;
  readonly adminUrl: string | undefined;
  close(grace: number): Promise<void>;
}

/** A worker gets so much longer than its streams to exit. */
const exitTime = 2_000;

/** Starts the workers, the metrics of all of them, and the one process that scales. */
export async function startWorkers(
  options: ProgramOptions,
  { client, log, metricsReaders }: LeadParts,
): Promise<Serving> {
  const lead: LeadProcess = new LeadProcess(
    { client, log, idling: options.idling, orphans: options.orphans },
    { activity: () => crew.activity(), close: (closing) => crew.close(closing), open: (key) => crew.open(key) },
  );
  const crew = new Crew({
    count: options.workers,
    port: options.port,
    log,
    wake: (workload) => lead.wake(workload),
    freeSpace: (backend) => lead.freeSpace(backend),
  });
  const figures = new AllFigures();
  crew.onExit = (id) => void figures.retire(id);
  const print = async () => {
    for (const [id, current] of await crew.figures()) figures.note(id, current);
    return `${await figures.print()}\n${workersMetric(crew.ready)}`;
  };
  const [url] = await Promise.all([crew.start(), lead.start()]).catch(async (error: unknown) => {
    await crew.stop(0);
    throw error;
  });
  const { adminPort, adminHost } = options;
  const adminOptions = {
    web: ownAccess(options.access),
    readers: metricsReaders,
    isReady: () => crew.ready > 0,
  };
  const admin = adminPort === undefined ? undefined : openAdmin(print, adminOptions);
  const opened = admin === undefined ? undefined : await listen(admin, adminHost, adminPort ?? 0);
  return {
    url,
    adminUrl: opened === undefined ? undefined : urlOf(adminHost, opened),
    async close(grace) {
      await crew.stop(grace + exitTime);
      if (admin !== undefined) await closeServer(admin, 0);
      await lead.stop();
    },
  };
}

const workersMetric = (ready: number): string =>
  `# HELP trivium_gateway_workers Processes that serve\n# TYPE trivium_gateway_workers gauge\ntrivium_gateway_workers ${ready}\n`;
