import { createClient, createMetricsAccess, httpTransport, scopedClient } from "@trivium/client";
import type { KubeClient } from "@trivium/kube";
import type { Answered, Dialect } from "@trivium/reconcile";
import { collectProcessMetrics, createRuntime, type Log, type PolicyRule, systemClock } from "@trivium/runtime";
import { untilAborted } from "@trivium/std";
import { Registry } from "prom-client";
import { chooseAccess } from "./access.ts";
import { clusterFaultOf, untilPossible } from "./cluster-fault.ts";
import { startDashboard } from "./dashboard/serve-dashboard.ts";
import { serveHealth } from "./health.ts";
import { describeUnread } from "./namespace-scope.ts";
import type { OperatorOptions } from "./options/options.ts";
import type { OwnNamespace } from "./own-namespace.ts";
import { confirmCluster } from "./preflight.ts";
import { releaseOf } from "./release.ts";
import { StartState } from "./start-state.ts";
import { UpstreamOperators } from "./upstream-operators.ts";
import { version } from "./version.ts";
import { startWebhooks } from "./webhooks/webhooks.ts";

/** What an operator is made of besides its options. */
export interface OperatorParts {
  readonly dialects: readonly Dialect[];
  /** Who answers the questions that their reconcilers ask. */
  readonly answers?: (client: KubeClient) => readonly Answered[];
  /** Namespaces that they keep their own objects in. */
  readonly namespaces?: readonly OwnNamespace[];
  /** Namespaces that they read objects in, whichever namespace is reconciled. */
  readonly homes?: readonly OwnNamespace[];
  /** What the answers need besides what the reconcilers do. */
  readonly permissions?: readonly PolicyRule[];
}

/** The parts as the options want them. */
export type Composition = (options: OperatorOptions) => OperatorParts;

export interface Context {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** Ends a start that waits for its cluster. */
  readonly signal?: AbortSignal;
}

/** An operator that runs. */
export interface Operator {
  /** Starts nothing new, lets work in flight finish, gives the Lease back. */
  stop(): Promise<void>;
}

/** Short enough to go unnoticed, long enough for the controllers of a cluster to report on a new Deployment and its pods. */
const pace = { afterPass: 100, afterCreating: 1_000 };

/**
 * Starts one part after the other; when one cannot, those before it are ended in reverse. What the cluster lacks or refuses is waited
 * for: only what the options say wrongly ends the start.
 */
export async function startOperator(
  options: OperatorOptions,
  { dialects, answers, namespaces = [], homes = [] }: OperatorParts,
  { env, log, signal = new AbortController().signal }: Context,
): Promise<Operator> {
  await using parts = new AsyncDisposableStack();
  const access = await chooseAccess(options, env);
  const { qps, burst } = options;
  const rateLimit = qps === undefined ? {} : { rateLimit: { qps, burst } };
  const transport = httpTransport({ ...access, ...rateLimit, userAgent: `trivium-operator/${version}` });
  parts.defer(() => transport.close());
  const plain = createClient(transport);
  const client = scopedClient(plain, options.namespace);
  for (const sentence of describeUnread(options.namespace, homes)) log.warn({}, sentence);
  const ownNamespace = options.operatorNamespace ?? access.namespace;
  const lease = leaseOf(options, access.namespace);
  const { context, server } = access;
  const registry = new Registry();
  collectProcessMetrics(registry);
  const state = new StartState(log);
  if (options.listen !== "off") {
    const access = options.metricsAccess === "anyone" ? {} : { access: createMetricsAccess(plain, Date.now) };
    const health = await serveHealth(options.listen, { registry, pending: () => state.pending, ...access });
    parts.defer(() => health.close());
    log.info({ address: health.address }, "serving health and metrics");
  }
  const dashboard = await startDashboard(options, access, log);
  if (dashboard !== undefined) {
    parts.defer(() => dashboard.close());
    log.info({ port: dashboard.port }, "serving the dashboard");
  }
  const patience = { state, clock: systemClock, signal };
  const preflight = { client, server, context, dialects, lease, namespaces, installCrds: options.installCrds };
  await untilPossible(() => confirmCluster(preflight), patience);

  const reconcilers = dialects.flatMap((dialect) => dialect.reconcilers);
  const { adopt, concurrency, identity, podSecurityLevel } = options;
  const runtime = createRuntime({
    client,
    reconcilers,
    admissions: options.webhooks.listen === "off" ? [] : dialects.flatMap((dialect) => dialect.admissions ?? []),
    answers: answers?.(client) ?? [],
    identity,
    concurrency,
    pace,
    release: releaseOf(options),
    adopt,
    planNamespace: ownNamespace,
    ...(podSecurityLevel === "namespace" ? {} : { podSecurityLevel }),
    log,
    registry,
    onUnsynced: (error) => state.waitFor((clusterFaultOf(error, access) as Error).message),
    ...(lease === undefined ? {} : { lease }),
  });
  parts.defer(() => runtime.stop());
  const upstream = new UpstreamOperators({
    client: plain,
    dialects,
    namespaces: options.upstreamNamespaces,
    runtime,
    log,
    registry,
  });
  const aborted = untilAborted(signal);
  await Promise.race([upstream.start(), aborted]);
  parts.defer(() => upstream.stop());
  await Promise.race([runtime.start(), aborted]);
  state.proceed();
  const hooks = {
    client: plain,
    namespace: ownNamespace,
    admitter: runtime.admitter,
    log,
  };
  const webhooks = await untilPossible(
    () => startWebhooks(options, hooks).catch((error) => Promise.reject(clusterFaultOf(error, access))),
    patience,
  );
  if (webhooks !== undefined) parts.defer(() => webhooks.close());
  state.finish();
  const names = reconcilers.map(({ name }) => name);
  const scope = options.namespace === undefined ? "all namespaces" : `namespace ${options.namespace}`;
  log.info({ server, lease, identity, reconcilers: names }, `running ${sayHowMany(names.length)} in ${scope}`);
  const running = parts.move();
  return { stop: () => running.disposeAsync() };
}

function leaseOf(options: OperatorOptions, accessNamespace: string) {
  if (!options.leaderElection) return undefined;
  const namespace = options.leaseNamespace ?? options.operatorNamespace ?? accessNamespace;
  return { namespace, name: options.leaseName };
}

function sayHowMany(count: number): string {
  if (count === 0) return "0 reconcilers (nothing will be reconciled)";
  return count === 1 ? "1 reconciler" : `${count} reconcilers`;
}
