import { groupResourceOf, isReason, type Kind, type KubeClient, Lease } from "@trivium/kube";
import type { AnyReconciler, Dialect } from "@trivium/reconcile";
import { followedKinds } from "@trivium/runtime";
import { ClusterFault, type ClusterName, clusterFaultOf } from "./cluster-fault.ts";
import { installDefinitions, missingKinds } from "./definitions.ts";
import { confirmNamespace, type OwnNamespace } from "./own-namespace.ts";

export interface Preflight extends ClusterName {
  /** Sees the namespaces that the operator will see. */
  readonly client: KubeClient;
  readonly dialects: readonly Dialect[];
  readonly lease: { readonly namespace: string; readonly name: string } | undefined;
  readonly namespaces?: readonly OwnNamespace[];
  readonly installCrds: boolean;
}

/** Checks before the start what would otherwise be an endless row of warnings; throws a ClusterFault where the operator cannot work here yet. */
export async function confirmCluster(preflight: Preflight): Promise<void> {
  try {
    for (const step of stepsOf(preflight)) {
      // All are asked at once, and the first that has something to object is reported.
      const answers = step.map((confirm) => confirm(preflight));
      await Promise.allSettled(answers);
      for (const answer of answers) await answer;
    }
  } catch (error) {
    throw clusterFaultOf(error, preflight);
  }
}

type Confirm = (preflight: Preflight) => Promise<void>;

/** Nothing waits for anything else, except for definitions that are installed only now. Whether all kinds can be read shows when they are listed. */
function stepsOf({ installCrds }: Preflight): readonly (readonly Confirm[])[] {
  const others = [confirmNamespaces, confirmLease];
  return installCrds ? [[confirmKinds], others] : [[confirmKinds, ...others]];
}

async function confirmKinds({ client, dialects, installCrds }: Preflight): Promise<void> {
  const kinds = dialects.flatMap((dialect) => dialect.kinds);
  if (installCrds) return installDefinitions(client, kinds);
  const missing = missingKinds(kinds, await client.discover());
  if (missing.length > 0) throw faultFor(missing);
}

function faultFor(missing: readonly Kind[]): ClusterFault {
  const names = missing.map(groupResourceOf).sort().join(", ");
  return new ClusterFault(
    `CustomResourceDefinition not found: ${names}; start with --install-crds, or apply them yourself`,
  );
}

async function confirmNamespaces({ client, namespaces = [], installCrds }: Preflight): Promise<void> {
  for (const namespace of namespaces) await confirmNamespace(client, namespace, installCrds ? "make" : "demand");
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
    throw new ClusterFault(`Namespace ${lease.namespace} for the Lease not found; ${advice}`);
  });
}
