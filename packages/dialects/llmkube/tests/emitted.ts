import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AnyObject } from "@trivium/kube";
import { parse, parseAllDocuments } from "yaml";

const root = join(import.meta.dirname, "../../../..");

interface CaseFile {
  readonly decision?: { readonly children?: readonly { readonly object: AnyObject; readonly keep?: true }[] };
}

/** All children that the saved cases decide, each with the case that wants it. */
export function emittedObjects(): { name: string; objects: AnyObject[] }[] {
  const files = globSync("packages/dialects/llmkube/src/*/cases/*.yaml", { cwd: root }).sort();
  return files.flatMap((path) => {
    const { decision } = parse(readFileSync(join(root, path), "utf8")) as CaseFile;
    // Of a child that is kept as it is only the name counts.
    const children = (decision?.children ?? []).filter(({ keep }) => keep === undefined);
    const objects = children.map(({ object }) => placed(object));
    return objects.length === 0 ? [] : [{ name: path, objects }];
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
