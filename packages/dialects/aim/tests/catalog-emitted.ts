import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AnyObject } from "@trivium/kube";
import { parse } from "yaml";

const source = join(import.meta.dirname, "../src");

interface CaseFile {
  readonly decision?: { readonly children?: readonly { readonly object: AnyObject; readonly keep?: true }[] };
}

export const catalogFolders = "{model,template,model-source}";
export const servingFolders = "{service,model-cache,template-cache,kv-cache}";

/** All children that the saved cases of some folders decide, each with the case that wants it. */
export function emittedObjects(folders = catalogFolders): { name: string; objects: AnyObject[] }[] {
  const files = globSync(`${folders}/cases/*.yaml`, { cwd: source }).sort();
  return files.flatMap((path) => {
    const { decision } = parse(readFileSync(join(source, path), "utf8")) as CaseFile;
    // Of a child that is kept as it is only the name counts.
    const children = (decision?.children ?? []).filter(({ keep }) => keep === undefined);
    const objects = children.map(({ object }) => placed(object));
    return objects.length === 0 ? [] : [{ name: path, objects }];
  });
}

/** The runtime puts children where their owner is. */
const placed = (object: AnyObject): AnyObject =>
  /^(AIM)?Cluster/.test(object.kind) ? object : { ...object, metadata: { namespace: "strict", ...object.metadata } };
