import type { ServingDialect } from "@trivium/domain";
import { gatewayReconcilers, gatewayRef, localGatewayObjects } from "@trivium/gateway";
import {
  Gateway,
  GatewayClass,
  groupResourceOf,
  isReason,
  type KubeClient,
  Namespace,
  PriorityClass,
} from "@trivium/kube";
import { defaultPriority, priorityClasses } from "@trivium/llmkube";
import type { HostRoot, Sandbox } from "@trivium/node";
import {
  localFileAnswers,
  modelServerAnswers,
  modelSourceAnswers,
  objectWarningAnswers,
  podLogAnswers,
  registryAnswers,
  servedKindAnswers,
} from "@trivium/probes";
import { type AnyReconciler, leaveUnmanaged } from "@trivium/reconcile";
import { type AdoptPolicy, createRuntime, type Runtime, silentLog } from "@trivium/runtime";
import { workloadReconcilers } from "@trivium/workloads";
import { describeUnmanaged } from "./dialect-names.ts";
import { createDialects, type DialectOptions } from "./dialect-options.ts";
import type { Log } from "./log.ts";
import { podMetricAnswers } from "./node/pod-metrics.ts";

export interface OperatorParts {
  readonly client: KubeClient;
  readonly log: Log;
  readonly folders: readonly HostRoot[];
  readonly dialects: readonly string[];
  readonly adopt?: AdoptPolicy | undefined;
  readonly options: DialectOptions;
  readonly gatewayAddress: string;
  /** Where pods run, for what they use. */
  readonly sandbox: Sandbox;
}

/** Everything that decides: controllers of Kubernetes' own kinds, the dialects, the routes. */
export async function startOperators(parts: OperatorParts): Promise<Runtime> {
  const { client, log, folders, options, gatewayAddress, sandbox, adopt = "safe" } = parts;
  const all = createDialects(options);
  const chosen = all.filter(({ name }) => parts.dialects.includes(name));
  const unmanaged = await unmanagedReconcilers(client, all, parts.dialects);
  const sources = { environment: process.env, addresses: "any", localRoots: folders, now: Date.now } as const;
  const runtime = createRuntime({
    client,
    adopt,
    planNamespace: gatewayRef.namespace,
    reconcilers: [
      ...workloadReconcilers,
      ...chosen.flatMap(({ reconcilers }) => reconcilers),
      ...unmanaged,
      ...gatewayReconcilers({ address: gatewayAddress, orphans: "adopt" }),
    ],
    admissions: chosen.flatMap(({ admissions = [] }) => admissions),
    answers: [
      ...localFileAnswers(folders, Date.now),
      ...modelSourceAnswers(sources),
      ...modelServerAnswers(),
      ...podLogAnswers(client),
      ...objectWarningAnswers(client),
      ...servedKindAnswers(client),
      ...registryAnswers({ client, environment: process.env, addresses: "any", now: Date.now }),
      ...podMetricAnswers(client, sandbox),
    ],
    log: { ...silentLog, error: (fields, message) => log.fault(message, "err" in fields ? fields.err : fields) },
  });
  await runtime.start();
  return runtime;
}

/** An API that was run before and is left out now is still served, with all its objects: their services say that nothing acts on them. */
async function unmanagedReconcilers(
  client: KubeClient,
  all: readonly ServingDialect[],
  run: readonly string[],
): Promise<AnyReconciler[]> {
  const served = new Set((await client.discover()).map(groupResourceOf));
  const left = all.filter(({ name, serviceKind }) => !run.includes(name) && served.has(groupResourceOf(serviceKind)));
  return left.flatMap((dialect) =>
    dialect.reconcilers
      .filter(({ kind }) => kind === dialect.serviceKind)
      .map((one) => leaveUnmanaged(one, dialect.statusGuide, describeUnmanaged(dialect, run))),
  );
}

/** Objects that a machine of its own has from the start, as an administrator would have put them into a cluster. */
export async function prepare(client: KubeClient, gatewayPort: number): Promise<void> {
  const { gatewayClass, gateway } = localGatewayObjects(gatewayPort);
  const namespace: Namespace = {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: gateway.metadata.namespace ?? "" },
  };
  await present(client.create(Namespace, namespace));
  await present(client.create(GatewayClass, gatewayClass));
  await client.apply(Gateway, gateway, { fieldManager: "trivium", force: true });
  for (const { name, value, preemption } of priorityClasses)
    await present(client.create(PriorityClass, priorityClassOf(name, value, { preemptionPolicy: preemption })));
  // Services of all dialects are peers: a pod that names no class ranks like a service of LLMKube that asks for nothing.
  await present(client.create(PriorityClass, priorityClassOf("trivium-default", defaultPriority, peers)));
}

const peers = {
  globalDefault: true,
  description:
    "Default for pods without a priority class; services of all APIs have the same priority unless they set one",
} as const;

const priorityClassOf = (name: string, value: number, rest: Partial<PriorityClass>): PriorityClass => ({
  apiVersion: "scheduling.k8s.io/v1",
  kind: "PriorityClass",
  metadata: { name },
  value,
  ...rest,
});

/** That it is there already is as good. */
async function present(creation: Promise<unknown>): Promise<void> {
  await creation.catch((error: unknown) => {
    if (!isReason(error, "AlreadyExists")) throw error;
  });
}
