import { mkdir, stat } from "node:fs/promises";
import { isReason, type KubeClient, PersistentVolume, PersistentVolumeClaim } from "@trivium/kube";
import { type HostRoot, hostFolder } from "./host-path.ts";
import { isWithin, whereItLeads } from "./inside.ts";
import { MountFault } from "./mount-fault.ts";

export interface ClaimSource {
  readonly client: KubeClient;
  /** Where the provisioner of this node makes folders. */
  readonly claimsRoot: string;
  readonly hostRoots: readonly HostRoot[];
}

/** The folder behind a claim. It is the folder of the volume that the claim is bound to, on this machine. */
export async function claimFolder(
  { client, claimsRoot, hostRoots }: ClaimSource,
  { namespace, name }: { namespace: string; name: string },
): Promise<string> {
  const claim = await client.get(PersistentVolumeClaim, { namespace, name }).catch(absentWhen("NotFound"));
  if (claim === undefined) throw new MountFault(`persistentvolumeclaim "${name}" not found`);
  const { volumeName = "" } = claim.spec ?? {};
  if (claim.status?.phase !== "Bound" || volumeName === "") {
    throw new MountFault(`error processing PVC ${namespace}/${name}: PVC is not bound`);
  }
  const volume = await client.get(PersistentVolume, { name: volumeName }).catch(absentWhen("NotFound"));
  const { hostPath, local } = volume?.spec ?? {};
  const path = hostPath?.path ?? local?.path;
  if (path === undefined) {
    throw new MountFault(`volume ${volumeName} of claim ${name} is not a folder of this machine`);
  }
  if (isWithin(claimsRoot, path) && path !== claimsRoot) return ownFolder(path, claimsRoot);
  return hostFolder({ path, type: hostPath?.type ?? "Directory" }, hostRoots);
}

/** A process may have left a link in its claim, and somebody may have made a volume of that. */
async function ownFolder(path: string, root: string): Promise<string> {
  const leads = await whereItLeads(path).catch(() => undefined);
  if (leads === undefined || !isWithin(await whereItLeads(root), leads)) {
    throw new MountFault(`${path} is outside of the folder for claims of this node`);
  }
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (!(await stat(path)).isDirectory()) throw new MountFault(`hostPath type check failed: ${path} is not a directory`);
  return path;
}

function absentWhen(reason: "NotFound"): (error: unknown) => undefined {
  return (error) => {
    if (!isReason(error, reason)) throw error;
    return undefined;
  };
}
