import { isReason, type KubeClient, Lease, type Node } from "@trivium/kube";
import { type Clock, waitFor } from "@trivium/runtime";
import { formatMicroTime, type Millis } from "@trivium/std";

export interface NodeLeaseOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** The Node as it was last registered: the lease goes with it. */
  readonly node: () => Node;
  onError(what: string, error: unknown): void;
}

const namespace = "kube-node-lease";
const durationSeconds = 40;
const renewEvery: Millis = 10_000;

/**
 * Renews the node's Lease until the signal: by this the control plane sees that the node lives. It is the one thing here that happens by
 * the clock, because not to happen is its message.
 */
export async function keepLease(options: NodeLeaseOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await renew(options, signal).catch((error: unknown) => {
      if (!signal.aborted) options.onError("cannot renew the Lease of the node", error);
    });
    await waitFor(options.clock, renewEvery, signal);
  }
}

export async function deleteLease(client: KubeClient, node: string): Promise<void> {
  await client.delete(Lease, { namespace, name: node }).catch((error: unknown) => {
    if (!isReason(error, "NotFound")) throw error;
  });
}

async function renew({ client, clock, node }: NodeLeaseOptions, signal: AbortSignal): Promise<void> {
  const { name = "", uid = "" } = node().metadata;
  const renewTime = formatMicroTime(clock.now());
  const spec = { holderIdentity: name, leaseDurationSeconds: durationSeconds, renewTime };
  try {
    await client.patch(Lease, { namespace, name }, { type: "merge", body: { spec } }, { signal });
  } catch (error) {
    if (!isReason(error, "NotFound")) throw error;
    const ownerReferences = [{ apiVersion: "v1", kind: "Node", name, uid }];
    const lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name, namespace, ownerReferences },
      spec,
    };
    await client.create(Lease, lease, { signal });
  }
}
