import { mkdir } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { ConfigFault } from "../sandbox-setup/config-fault.ts";
import { isWithin, whereItLeads } from "./inside.ts";

/**
 * The part of a volume that a mount shows. It is made where it is missing, and may not lead out of the volume: not by its name, and not
 * by a link that somebody left in the volume.
 */
export async function subFolder(volume: string, subPath: string, mount: string): Promise<string> {
  if (subPath === "") return volume;
  if (isAbsolute(subPath)) throw new ConfigFault(`error SubPath \`${subPath}\` must not be an absolute path`);
  if (subPath.split("/").includes("..")) {
    throw new ConfigFault(`unable to provision SubPath \`${subPath}\`: must not contain '..'`);
  }
  const wanted = join(volume, subPath);
  const [root, leads] = [await whereItLeads(volume), await whereItLeads(wanted).catch(() => undefined)];
  if (leads === undefined || !isWithin(root, leads)) {
    throw new ConfigFault(
      `failed to prepare subPath for volumeMount ${mount}: ${subPath} points outside of its volume`,
    );
  }
  // What is there already, a file perhaps, stays what it is.
  await mkdir(leads, { recursive: true, mode: 0o750 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  return wanted;
}
