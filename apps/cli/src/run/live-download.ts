import type { DownloadProgress } from "@trivium/domain";
import { parseProgress } from "@trivium/engines";
import type { AnyObject, KubeClient, Pod } from "@trivium/kube";

/** A container that prepares a pod, and runs now. */
export interface Preparing {
  readonly pod: string;
  readonly container: string;
}

/** The containers that prepare the pods among some objects: one that downloads is among them. */
export function preparingIn(objects: readonly AnyObject[]): Preparing[] {
  const pods = objects.filter(({ kind }) => kind === "Pod") as readonly object[] as readonly Pod[];
  return pods.flatMap(({ metadata, status }) =>
    (status?.initContainerStatuses ?? [])
      .filter(({ state }) => state?.running !== undefined)
      .map(({ name }) => ({ pod: metadata.name ?? "", container: name })),
  );
}

/** How far a download is by its own log. The status of its service says so every now and then only. */
export async function readDownload(
  client: KubeClient,
  namespace: string,
  preparing: readonly Preparing[],
): Promise<DownloadProgress | undefined> {
  const logs = await Promise.all(
    preparing.map(({ pod, container }) => lastLines(client, { namespace, name: pod }, container)),
  );
  return logs.map(parseProgress).find((progress) => progress !== undefined);
}

/** A log that cannot be read has no progress. */
async function lastLines(
  client: KubeClient,
  ref: { readonly namespace: string; readonly name: string },
  container: string,
): Promise<string> {
  try {
    return (await Array.fromAsync(client.log(ref, { container, tailLines: 5 }))).join("\n");
  } catch {
    return "";
  }
}

/** Of what a status and a log say, the newer one. */
export const fartherOf = (
  one: DownloadProgress | undefined,
  other: DownloadProgress | undefined,
): DownloadProgress | undefined => ((one?.bytesDone ?? -1) >= (other?.bytesDone ?? -1) ? one : other);
