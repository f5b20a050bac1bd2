import { globSync } from "node:fs";
import { join, relative } from "node:path";
import type { AnyObject } from "@trivium/kube";
import { readCases } from "@trivium/testkit";

const source = join(import.meta.dirname, "../src");

interface Decision {
  readonly children?: readonly { readonly object: AnyObject; readonly keep?: true }[];
}

export const catalogFolders = "{model,template,model-source}";
export const servingFolders = "{service,model-cache,template-cache,kv-cache}";

/** All children that the saved cases of some folders decide, each with the case that wants it. */
export function emittedObjects(folders = catalogFolders): { name: string; objects: AnyObject[] }[] {
  const cases = globSync(`${folders}/cases`, { cwd: source })
    .sort()
    .flatMap((folder) => readCases(join(source, folder)));
  return cases.flatMap(({ path, decision }) => {
    // Of a child that is kept as it is only the name counts.
    const children = ((decision as Decision | undefined)?.children ?? []).filter(({ keep }) => keep === undefined);
    const objects = children.map(({ object }) => placed(object));
    return objects.length === 0 ? [] : [{ name: relative(source, path), objects }];
  });
}

/** The runtime puts children where their owner is. */
const placed = (object: AnyObject): AnyObject =>
  /^(AIM)?Cluster/.test(object.kind) ? object : { ...object, metadata: { namespace: "strict", ...object.metadata } };
