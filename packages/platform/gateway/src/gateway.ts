import { hostname } from "node:os";
import type { MetricsAccess } from "@trivium/client";
import type { KubeClient, Ref } from "@trivium/kube";
import { type Clock, type Log, silentLog, systemClock } from "@trivium/runtime";
import type { WebAccess } from "@trivium/std";
import { openAdmin } from "./admin.ts";
import { ApiKeys, keyHeaders } from "./auth/api-keys.ts";
import { ClusterView } from "./cluster/view.ts";
import { openDoor } from "./http/door.ts";
import type { Exchange } from "./http/exchange.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { closeServer, listen, urlOf } from "./listening.ts";
import { Metrics } from "./metrics.ts";
import { controllerName } from "./status/names.ts";
import { ListedModels } from "./upstream/listed-models.ts";
import { Targets } from "./upstream/targets.ts";
import { type ControlParts, ownControl, type WakingControl } from "./waking/control.ts";
import { Holds } from "./waking/holds.ts";

export interface GatewayOptions {
  readonly client: KubeClient;
  readonly host?: string;
  /** 0 for any free one. */
  readonly port?: number;
  /** Where /metrics, /healthz and /readyz are; nowhere when left out. */
  readonly adminPort?: number | undefined;
  readonly limits?: Partial<Limits>;
  /** Where the admin port is open: on this machine alone when left out. */
  readonly adminHost?: string | undefined;
  /** Who can read metrics there: whoever reaches it, when left out. */
  readonly metricsReaders?: MetricsAccess | undefined;
  /** The Secret whose values are API keys, and keys by themselves; without either no key is required. */
  readonly apiKeys?: Ref | undefined;
  readonly keys?: readonly string[] | undefined;
  /** What model servers of this machine know the gateway by. */
  readonly gatewayToken?: string | undefined;
  /** Which hosts and web pages are answered beside the local ones. */
  readonly access?: WebAccess | undefined;
  /** Whether routes whose Gateway does not exist are served all the same. */
  readonly orphans?: "adopt" | "leave";
  /** Whether idle workloads are put to zero by this process. */
  readonly idling?: "on" | "off";
  /** Who scales workloads; this process when left out. */
  readonly control?: ((parts: ControlParts) => WakingControl) | undefined;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly log?: Log;
  /** Called when an exchange is over. */
  readonly onAccess?: ((exchange: Exchange) => void) | undefined;
}

export interface RunningGateway {
  /** `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly adminUrl: string | undefined;
  readonly metrics: Metrics;
  /** Requests held or in flight, over all Services. */
  requests(): number;
  /** No new connections; streams have until the deadline, then everything ends. */
  close(grace?: number): Promise<void>;
}

/** Starts the gateway: resolves when the cluster was seen once and the address is open. */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const { client, host = "127.0.0.1", clock = systemClock, random = Math.random, log = silentLog, apiKeys } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const view = new ClusterView({
    client,
    clock,
    random,
    log,
    controllerName,
    orphans: options.orphans ?? "leave",
    apiKeys,
  });
  const targets = new Targets(view, { clock, connectTimeout: limits.connectTimeout, token: options.gatewayToken });
  const review = () => {
    control.review();
    holds.review();
  };
  const { idling = "on" } = options;
  const control = (options.control ?? ownControl)({
    client,
    view,
    targets,
    clock,
    random,
    log,
    idling,
    onChange: review,
  });
  const listed = new ListedModels({ view, targets, memory: control.memory });
  const holds = new Holds({ client, view, control, clock, random, limits, log });
  const metrics = new Metrics(() => holds.held);
  await Promise.all([view.start(), control.start()]);
  listed.refresh();
  view.onChange(review);
  review();

  const fixed = options.keys ?? [];
  const secret = apiKeys === undefined ? undefined : { ref: apiKeys, read: () => view.secret(apiKeys) };
  const keys = secret === undefined && fixed.length === 0 ? undefined : new ApiKeys({ fixed, secret });
  const access = ownAccess(options.access);
  const door = openDoor({
    view,
    targets,
    listed,
    holds,
    metrics,
    clock,
    random,
    limits,
    log,
    access,
    bodyBytes: limits.bodyBytes,
    keys,
    withoutHeaders: keys === undefined ? undefined : keyHeaders,
    onEnd: options.onAccess,
  });
  const port = await listen(door.server, host, options.port ?? 8080);
  const admin =
    options.adminPort === undefined
      ? undefined
      : openAdmin(() => metrics.registry.metrics(), { web: access, readers: options.metricsReaders });
  const { adminHost = "127.0.0.1" } = options;
  const adminPort = admin === undefined ? undefined : await listen(admin, adminHost, options.adminPort as number);
  return {
    url: urlOf(host, port),
    adminUrl: adminPort === undefined ? undefined : urlOf(adminHost, adminPort),
    metrics,
    requests: () => [...targets.all()].reduce((sum, target) => sum + target.requests, 0),
    async close(grace = 0) {
      control.stop();
      holds.stop();
      await closeServer(door.server, grace, door.plain);
      if (admin !== undefined) await closeServer(admin, 0);
      targets.destroy();
      await view.stop();
      await control.close();
    },
  };
}

/** What the machine is called is a name of the gateway, too. */
export function ownAccess({ hosts, origins }: WebAccess = { hosts: [], origins: [] }): WebAccess {
  return { hosts: [hostname(), ...hosts], origins };
}
