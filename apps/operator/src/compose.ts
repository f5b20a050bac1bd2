import { createClient, httpTransport } from "@trivium/client";
import type { KubeClient } from "@trivium/kube";
import type { Answered, Dialect } from "@trivium/reconcile";
import { collectProcessMetrics, createRuntime, type Log, type PolicyRule } from "@trivium/runtime";
import { Registry } from "prom-client";
import { chooseAccess } from "./access.ts";
import { serveHealth } from "./health.ts";
import { scopedClient } from "./namespace-scope.ts";
import type { OperatorOptions } from "./options.ts";
import type { OwnNamespace } from "./own-namespace.ts";
import { confirmCluster } from "./preflight.ts";
import { version } from "./version.ts";
import { startWebhooks } from "./webhooks.ts";

/** What an operator is made of besides its options. */
export interface OperatorParts {
  readonly dialects: readonly Dialect[];
  /** Who answers the questions that their reconcilers ask. */
  readonly answers?: (client: KubeClient) => readonly Answered[];
  /** Namespaces that they keep their own objects in. */
  readonly namespaces?: readonly OwnNamespace[];
  /** What the answers need besides what the reconcilers do. */
  readonly permissions?: readonly PolicyRule[];
}

/** The parts as the options want them. */
export type Composition = (options: OperatorOptions) => OperatorParts;

export interface Context {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
}

/** An operator that runs. */
export interface Operator {
  /** Starts nothing new, lets work in flight finish, gives the Lease back. */
  stop(): Promise<void>;
}

/** Starts one part after the other; when one cannot, those before it are ended in reverse. */
export async function startOperator(
  options: OperatorOptions,
  { dialects, answers, namespaces = [] }: OperatorParts,
  { env, log }: Context,
): Promise<Operator> {
  await using parts = new AsyncDisposableStack();
  const access = await chooseAccess(options, env);
  const { qps, burst } = options;
  const rateLimit = qps === undefined ? {} : { rateLimit: { qps, burst } };
  const transport = httpTransport({ ...access, ...rateLimit, userAgent: `trivium-operator/${version}` });
  parts.defer(() => transport.close());
  const client = scopedClient(createClient(transport), options.namespace);
  const lease = leaseOf(options, access.namespace);
  const { context, server } = access;
  await confirmCluster({ client, server, context, dialects, lease, namespaces, installCrds: options.installCrds });

  const registry = new Registry();
  collectProcessMetrics(registry);
  const state = { isReady: false };
  if (options.listen !== "off") {
    const health = await serveHealth(options.listen, { registry, isReady: () => state.isReady });
    parts.defer(() => health.close());
    log.info({ address: health.address }, "serving health and metrics");
  }

  const reconcilers = dialects.flatMap((dialect) => dialect.reconcilers);
  const { concurrency, identity, podSecurityLevel } = options;
  const runtime = createRuntime({
    client,
    reconcilers,
    admissions: options.webhooks.listen === "off" ? [] : dialects.flatMap((dialect) => dialect.admissions ?? []),
    answers: answers?.(client) ?? [],
    identity,
    concurrency,
    ...(podSecurityLevel === "namespace" ? {} : { podSecurityLevel }),
    log,
    registry,
    ...(lease === undefined ? {} : { lease }),
  });
  parts.defer(() => runtime.stop());
  await runtime.start();
  const webhooks = await startWebhooks(options, runtime.admitter, log);
  if (webhooks !== undefined) parts.defer(() => webhooks.close());
  state.isReady = true;
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
