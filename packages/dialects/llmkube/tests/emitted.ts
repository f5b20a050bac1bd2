import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { AnyObject } from "@trivium/kube";
import { readCases } from "@trivium/testkit";
import { parseAllDocuments } from "yaml";

const root = join(import.meta.dirname, "../../../..");

interface Decision {
  readonly children?: readonly { readonly object: AnyObject; readonly keep?: true }[];
}

/** All children that the saved cases decide, each with the case that wants it. */
export function emittedObjects(): { name: string; objects: AnyObject[] }[] {
  const folders = globSync("packages/dialects/llmkube/src/*/cases", { cwd: root }).sort();
  const cases = folders.flatMap((folder) => readCases(join(root, folder)));
  return cases.flatMap(({ path, decision }) => {
    // Of a child that is kept as it is only the name counts.
    const children = ((decision as Decision | undefined)?.children ?? []).filter(({ keep }) => keep === undefined);
    const objects = children.map(({ object }) => placed(object));
    return objects.length === 0 ? [] : [{ name: relative(root, path), objects }];
  });
}

export function exampleObjects(): { name: string; objects: AnyObject[] }[] {
  return globSync("examples/llmkube/*.yaml", { cwd: root })
    .sort()
    .map((path) => ({
      name: path,
      objects: parseAllDocuments(readFileSync(join(root, path), "utf8")).map((each) =>
        placed(each.toJS() as AnyObject),
      ),
    }));
}

/** The runtime puts children where their owner is. */
const placed = (object: AnyObject): AnyObject => ({
  ...object,
  metadata: { namespace: "strict", ...object.metadata },
});
