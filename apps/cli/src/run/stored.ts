import { basename } from "node:path";
import { weightStores } from "@trivium/local";
import { formatHubUri, parseSourceUri } from "@trivium/std";
import type { FoundModel } from "./model.ts";

type Sought = Pick<FoundModel, "source" | "files" | "download">;

/** Whether this machine has the weights already, where a service of the namespace finds them. */
export async function isStored(model: Sought, home: string, namespace: string): Promise<boolean> {
  const { own, inVolumes } = weightStores(home);
  const reachable = inVolumes.filter(({ volume }) => basename(volume).includes(`_${namespace}_`));
  const lists = await Promise.all([own, ...reachable].map((store) => store.list()));
  const uri = uriOf(model);
  return lists.flat().some(({ source, size }) => source === uri && size === model.download);
}

/** One file of a repository is stored under its own address. */
function uriOf({ source, files: [file, ...more] }: Sought): string {
  const place = parseSourceUri(source);
  if (place.scheme !== "hub" || file === undefined || more.length > 0) return source;
  return formatHubUri({ repo: place.repo, revision: place.revision, path: file });
}
