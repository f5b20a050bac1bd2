import { isReason, type KubeClient, Pod } from "@trivium/kube";

/** Where others read which port stands for one of the pod's: `{"8080":41234}`. */
export const portsAnnotation = "trivium.dev/ports";

/** Writes the ports that are not what the spec says onto the pod, unless it says so already. */
export async function announcePorts(client: KubeClient, pod: Pod, ports: ReadonlyMap<number, number>): Promise<void> {
  const moved = [...ports].filter(([from, to]) => from !== to).sort(([a], [b]) => a - b);
  if (moved.length === 0) return;
  const text = JSON.stringify(Object.fromEntries(moved));
  if (pod.metadata.annotations?.[portsAnnotation] === text) return;
  const { name = "", namespace, uid = "" } = pod.metadata;
  const body = { metadata: { uid, annotations: { [portsAnnotation]: text } } };
  await client.patch(Pod, { name, namespace }, { type: "merge", body }).catch((error: unknown) => {
    // Deleted meanwhile, or replaced by another of its name: nobody asks for its ports.
    if (!isReason(error, "NotFound", "Conflict")) throw error;
  });
}
