import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AnyObject } from "@trivium/kube";
import { readCases } from "@trivium/testkit";
import { parseAllDocuments } from "yaml";

const root = join(import.meta.dirname, "../../../..");

interface Decision {
  readonly children?: readonly { readonly object: AnyObject; readonly keep?: true }[];
}

/** All children that the saved cases decide, each with the case that wants it. */
export function emittedObjects(): { name: string; objects: AnyObject[] }[] {
  const folders = globSync("packages/dialects/ome/src/*/cases", { cwd: root }).sort();
  const cases = folders.flatMap((folder) => readCases(join(root, folder)));
  return cases.flatMap(({ path, decision }) => {
    // Of a child that is kept as it is only the name counts.
    const children = ((decision as Decision | undefined)?.children ?? []).filter(({ keep }) => keep === undefined);
    const objects = children.map(({ object }) => ({
      ...object,
      metadata: { ...object.metadata, namespace: "default" },
    }));
    return objects.length === 0 ? [] : [{ name: path.split("/").slice(-3).join("/"), objects }];
  });
}

const thirdPartyApis =
  /^(?:gateway\.networking\.k8s\.io|networking\.istio\.io|leaderworkerset\.x-k8s\.io|serving\.knative\.dev|keda\.sh)\//;

/** Of a kind that others bring: only a server on which they are installed can judge it. */
export const isThirdPartyApis = ({ apiVersion }: AnyObject): boolean => thirdPartyApis.test(apiVersion);

/** The examples of this dialect. */
export function exampleObjects(): { name: string; objects: AnyObject[] }[] {
  return globSync("examples/ome/*.yaml", { cwd: root })
    .sort()
    .map((path) => {
      const documents = parseAllDocuments(readFileSync(join(root, path), "utf8"));
      return { name: path, objects: documents.map((one) => placed(one.toJS() as AnyObject)) };
    });
}

/** Where kubectl puts what says nothing of namespaces. */
const placed = (object: AnyObject): AnyObject =>
  /^(Cluster|FineTunedWeight$|Namespace$)/.test(object.kind)
    ? object
    : { ...object, metadata: { namespace: "default", ...object.metadata } };
