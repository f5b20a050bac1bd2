import { join } from "node:path";
import { WeightsError } from "../fault.ts";
import { createFileSource } from "./file-source.ts";
import type { Source } from "./source.ts";

/** Where claims are mounted: `claim=/mnt/a`, `namespace:claim=/mnt/b`, or just a folder for whichever claim is asked for. */
export type PvcRoots = readonly string[];

/** Models on a claim that is mounted here. What is read must lie under the mount, wherever links lead. */
export function createPvcSource(roots: PvcRoots): Source<"pvc"> {
  return {
    async resolve({ namespace, claim, path }, signal) {
      const shownAs = `pvc://${namespace === undefined ? "" : `${namespace}:`}${claim}/${path}`;
      const root = rootOf(roots, namespace, claim);
      if (root === undefined) {
        const message = `${shownAs}: the claim is not mounted; set its mount path with --pvc-root ${claim}=DIR`;
        throw new WeightsError("refused", "InvalidOption", message);
      }
      const { files } = await createFileSource([root]).resolve({ scheme: "file", path: join(root, path) }, signal);
      return { pinned: shownAs, files };
    },
  };
}

function rootOf(roots: PvcRoots, namespace: string | undefined, claim: string): string | undefined {
  const named = new Map<string, string>();
  let any: string | undefined;
  for (const root of roots) {
    const [, name, folder] = /^([^/=]+)=(.+)$/.exec(root) ?? [];
    if (name === undefined || folder === undefined) any ??= root;
    else named.set(name, folder);
  }
  return (namespace === undefined ? undefined : named.get(`${namespace}:${claim}`)) ?? named.get(claim) ?? any;
}
