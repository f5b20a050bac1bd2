import { Deployment, Job, type KubeClient, PersistentVolumeClaim, Pod } from "@trivium/kube";
import { type PodWorld, placePod } from "./growth-pods.ts";

/** Brings the children of all objects of a namespace into a state, as the controllers of a cluster would. */
export async function placeChildren(client: KubeClient, namespace: string, world: PodWorld): Promise<void> {
  if (world === "waiting") return;
  for (const { metadata, status } of (await client.list(PersistentVolumeClaim, { namespace })).items) {
    if (status?.phase !== undefined && status.phase !== "Pending") continue;
    const ref = { namespace, name: metadata.name ?? "" };
    const body = { status: { phase: "Bound" } };
    await client.patch(PersistentVolumeClaim, ref, { type: "merge", body }, { subresource: "status" });
  }
  for (const { metadata, status } of (await client.list(Job, { namespace })).items) {
    if (status?.conditions !== undefined) continue;
    const ref = { namespace, name: metadata.name ?? "" };
    await client.patch(Job, ref, { type: "merge", body: { status: endOf(world) } }, { subresource: "status" });
  }
  const pods = new Set((await client.list(Pod, { namespace })).items.map(({ metadata }) => metadata.name));
  for (const { metadata } of (await client.list(Deployment, { namespace })).items)
    if (!pods.has(`${metadata.name}-0`)) await placePod(client, { namespace, name: metadata.name ?? "" }, world);
}

function endOf(world: "failing" | "running") {
  const time = "2026-01-01T00:00:00Z";
  const head = { status: "True", lastProbeTime: time, lastTransitionTime: time } as const;
  if (world === "failing")
    return {
      startTime: time,
      failed: 1,
      conditions: [
        { ...head, type: "FailureTarget", reason: "BackoffLimitExceeded" },
        { ...head, type: "Failed", reason: "BackoffLimitExceeded", message: "Job has reached the backoff limit" },
      ],
    };
  return {
    startTime: time,
    completionTime: time,
    succeeded: 1,
    conditions: [
      { ...head, type: "SuccessCriteriaMet" },
      { ...head, type: "Complete" },
    ],
  };
}
