import { Deployment, type KubeClient, Pod } from "@trivium/kube";

type PodStatus = NonNullable<Pod["status"]>;

/** The states that pods of a world of many like services can be in. */
export type PodWorld = "waiting" | "failing" | "running";
export const podWorlds: readonly PodWorld[] = ["waiting", "failing", "running"];

/** Creates the pod of a Deployment, as its controllers would, in this state. */
export async function placePod(
  client: KubeClient,
  ref: { namespace: string; name: string },
  world: PodWorld,
): Promise<void> {
  const { namespace } = ref;
  const { spec } = await client.get(Deployment, ref);
  const name = `${ref.name}-0`;
  const podSpec = spec?.template.spec as NonNullable<Pod["spec"]>;
  const metadata = { ...spec?.template.metadata, name, namespace };
  await client.create(Pod, { apiVersion: "v1", kind: "Pod", metadata, spec: podSpec });
  const body = { status: statusOf(world, podSpec.containers[0]?.name ?? "") } as never;
  await client.patch(Pod, { namespace, name }, { type: "merge", body }, { subresource: "status" });
}

function statusOf(world: PodWorld, container: string): PodStatus {
  const head = { name: container, image: "i", imageID: "" };
  switch (world) {
    case "waiting": {
      const message = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.";
      const unschedulable = { type: "PodScheduled", status: "False", reason: "Unschedulable", message } as const;
      return { phase: "Pending", conditions: [unschedulable] };
    }
    case "failing": {
      const state = { waiting: { reason: "CrashLoopBackOff" } };
      const lastState = { terminated: { exitCode: 1, reason: "Error", message: "boom" } };
      return { phase: "Running", containerStatuses: [{ ...head, ready: false, restartCount: 3, state, lastState }] };
    }
    case "running":
      return {
        phase: "Running",
        podIP: "127.0.0.1",
        conditions: [{ type: "Ready", status: "True" }],
        containerStatuses: [{ ...head, ready: true, restartCount: 0, state: {} }],
      };
  }
}
