import type { KubeClient } from "@trivium/kube";
import { startGateway } from "../gateway.ts";
import type { ProgramOptions } from "../options.ts";
import { startUnless } from "../start-unless.ts";
import type { LeadCalls, WorkerCalls } from "./calls.ts";
import { placeVariable, type WorkerPlace } from "./crew.ts";
import { Line } from "./line.ts";
import { RemoteControl } from "./remote-control.ts";
import { shareOf } from "./share.ts";

type StartOptions = Parameters<typeof startGateway>[0];

export interface WorkerParts extends Pick<StartOptions, "log" | "onAccess"> {
  readonly client: KubeClient;
  /** Aborted when the lead has gone. */
  readonly signal: AbortSignal;
  readonly grace: number;
}

/** The place of this process among the workers; nothing when it is not one. */
export function placeOf(environment: Readonly<NodeJS.ProcessEnv>): WorkerPlace | undefined {
  const text = environment[placeVariable];
  return text === undefined || process.send === undefined ? undefined : (JSON.parse(text) as WorkerPlace);
}

/** Serves until the lead stops it or is gone. What fails at the start is reported to the lead, which prints it once. */
export async function runWorker(options: ProgramOptions, place: WorkerPlace, parts: WorkerParts): Promise<void> {
  const { signal, grace, ...rest } = parts;
  const stopping = Promise.withResolvers<void>();
  if (signal.aborted) return;
  signal.addEventListener("abort", () => stopping.resolve());
  let control: RemoteControl | undefined;
  const started = Promise.withResolvers<Awaited<ReturnType<typeof startGateway>>>();
  const line = new Line<WorkerCalls, LeadCalls>(
    { send: (message) => void process.send?.(message, undefined, {}, () => {}) },
    {
      activity: async () => control?.activity() ?? [],
      close: async (closing) => control?.closeTargets(closing) ?? false,
      open: async ({ key }) => control?.openTargets(key),
      metrics: async () => (await started.promise).metrics.registry.getMetricsAsJSON(),
      stop: async () => stopping.resolve(),
    },
  );
  process.on("message", (message) => line.take(message));
  process.once("disconnect", () => line.cut());
  try {
    const starting = startGateway({
      ...options,
      ...rest,
      port: place.port,
      adminPort: undefined,
      limits: shareOf(options.limits, place.workers),
      control: (own) => {
        control = new RemoteControl(own, line);
        return control;
      },
    });
    const gateway = await startUnless(stopping.promise, starting);
    if (gateway === undefined) return;
    started.resolve(gateway);
    await line.call("ready", { url: gateway.url });
    await stopping.promise;
    await gateway.close(grace);
  } catch (error) {
    await line.call("failed", { message: error instanceof Error ? error.message : String(error) }).catch(() => {});
    throw error;
  }
}
