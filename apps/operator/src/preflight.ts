import { ApiError, groupResourceOf, isReason, type Kind, type KubeClient, Lease } from "@trivium/kube";
import type { AnyReconciler, Dialect } from "@trivium/reconcile";
import { followedKinds, systemClock, waitFor } from "@trivium/runtime";
import { Refusal } from "@trivium/std";
import { installDefinitions, missingKinds } from "./definitions.ts";
import { confirmNamespace, type OwnNamespace } from "./own-namespace.ts";

export interface Preflight {
  /** Sees the namespaces that the operator will see. */
  readonly client: KubeClient;
  /** Where the server is, and by which context: for messages. */
  readonly server: string;
  readonly context: string;
  readonly dialects: readonly Dialect[];
  readonly lease: { readonly namespace: string; readonly name: string } | undefined;
  readonly namespaces?: readonly OwnNamespace[];
  readonly installCrds: boolean;
}

/** Finds out before the start what would otherwise be an endless row of warnings: who cannot work here is told why, and ends. */
export async function confirmCluster(preflight: Preflight): Promise<void> {
  try {
    for (const step of stepsOf(preflight)) {
      // All are asked at once, and the first that has something to object is reported.
      const answers = step.map((confirm) => withPatience(() => confirm(preflight)));
      await Promise.allSettled(answers);
      for (const answer of answers) await answer;
    }
  } catch (error) {
    throw refusalOf(error, preflight);
  }
}

type Confirm = (preflight: Preflight) => Promise<void>;

/** Nothing waits for anything else, except for definitions that are installed only now. */
function stepsOf({ installCrds }: Preflight): readonly (readonly Confirm[])[] {
  const others = [confirmNamespaces, confirmReading, confirmLease];
  return installCrds ? [[confirmKinds], others] : [[confirmKinds, ...others]];
}

/** Pauses between tries, in milliseconds. */
const pauses: readonly number[] = [200, 500, 1_000, 2_000];

/** A server that is there and has a bad moment is asked again; all of the confirming can be done twice. */
async function withPatience(confirm: () => Promise<void>): Promise<void> {
  for (const pause of pauses) {
    try {
      return await confirm();
    } catch (error) {
      if (!isPassing(error)) throw error;
    }
    await waitFor(systemClock, pause, new AbortController().signal);
  }
  return confirm();
}

function isPassing(error: unknown): boolean {
  return error instanceof ApiError && (error.code >= 500 || isReason(error, "Conflict", "TooManyRequests"));
}

async function confirmKinds({ client, dialects, installCrds }: Preflight): Promise<void> {
  const kinds = dialects.flatMap((dialect) => dialect.kinds);
  if (installCrds) return installDefinitions(client, kinds);
  const missing = missingKinds(kinds, await client.discover());
  if (missing.length === 0) return;
  const names = missing.map(groupResourceOf).sort().join(", ");
  throw new Refusal(`CustomResourceDefinition not found: ${names}; start with --install-crds, or apply them yourself`);
}

async function confirmNamespaces({ client, namespaces = [], installCrds }: Preflight): Promise<void> {
  for (const namespace of namespaces) await confirmNamespace(client, namespace, installCrds ? "make" : "demand");
}

/** Reads one object of each kind that will be watched: a kind that is not there is fine, one that may not be read is not. */
async function confirmReading({ client, dialects }: Preflight): Promise<void> {
  const reconcilers = dialects.flatMap((dialect) => dialect.reconcilers);
  const probes = watchedKinds(reconcilers).map((kind) => client.list(kind, { limit: 1 }));
  for (const probe of await Promise.allSettled(probes)) {
    if (probe.status === "rejected" && !isReason(probe.reason, "NotFound")) throw probe.reason;
  }
}

export function watchedKinds(reconcilers: readonly AnyReconciler[]): Kind[] {
  return [...new Map(followedKinds(reconcilers).map((kind) => [groupResourceOf(kind), kind])).values()];
}

/** Tries without doing it whether the Lease could be made where it should be. */
async function confirmLease({ client, lease }: Preflight): Promise<void> {
  if (lease === undefined) return;
  const request: Lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { ...lease } };
  await client.create(Lease, request, { dryRun: true }).catch((error: unknown) => {
    if (isReason(error, "AlreadyExists")) return;
    if (!isReason(error, "NotFound")) throw error;
    const advice = "create it, or choose another namespace with --operator-namespace or --lease-namespace";
    throw new Refusal(`Namespace ${lease.namespace} for the Lease not found; ${advice}`);
  });
}

function refusalOf(error: unknown, { server, context }: Preflight): unknown {
  if (!(error instanceof ApiError)) return error;
  if (error.code === 0) {
    return new Refusal(
      `cannot reach ${server}: ${error.message}; check that the server is running and that context "${context}" is the right one`,
    );
  }
  switch (error.reason) {
    case "Unauthorized":
      return new Refusal(
        `${server} rejected the credentials of context "${context}"; renew them, or choose another context`,
      );
    case "Forbidden":
      return new Refusal(`not allowed: ${error.message}; apply the output of --print-rbac`);
    default:
      return new Refusal(`cannot use ${server}: ${error.message}`);
  }
}
