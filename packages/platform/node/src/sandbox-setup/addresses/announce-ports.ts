import { isReason, type KubeClient, Pod } from "@trivium/kube";

/** Where others read which port stands for one of the pod's: `{"8080":41234}`. */
export const portsAnnotation = "trivium.dev/ports";

/** Where others read that the local engine runs in place of the model server of the image. */
const standInAnnotation = "trivium.dev/stands-in-for";

/** Writes the ports that are not what the spec says onto the pod, unless it says so already. */
export async function announcePorts(client: KubeClient, pod: Pod, ports: ReadonlyMap<number, number>): Promise<void> {
  const moved = [...ports].filter(([from, to]) => from !== to).sort(([a], [b]) => a - b);
  if (moved.length > 0) await annotate(client, pod, portsAnnotation, JSON.stringify(Object.fromEntries(moved)));
}

/** Writes onto the pod which model server the local engine stands in for. */
export const announceStandIn = (client: KubeClient, pod: Pod, server: string): Promise<void> =>
  annotate(client, pod, standInAnnotation, server);

async function annotate(client: KubeClient, pod: Pod, annotation: string, text: string): Promise<void> {
  if (pod.metadata.annotations?.[annotation] === text) return;
  const { name = "", namespace, uid = "" } = pod.metadata;
  const body = { metadata: { uid, annotations: { [annotation]: text } } };
  await client.patch(Pod, { name, namespace }, { type: "merge", body }).catch((error: unknown) => {
    // Deleted meanwhile, or replaced by another of its name: nobody asks for it.
    if (!isReason(error, "NotFound", "Conflict")) throw error;
  });
}
