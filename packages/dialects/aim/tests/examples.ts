import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type AnyObject, apiVersionOf, isReason, type Kind, type KubeClient, Namespace } from "@trivium/kube";
import { parseAllDocuments } from "yaml";

const root = join(import.meta.dirname, "../../../..");

export interface Example {
  /** `examples/aim/service.yaml` */
  readonly path: string;
  readonly objects: readonly AnyObject[];
}

/** Every manifest that we show to people who come with AIM. */
export function readExamples(): Example[] {
  return globSync("examples/aim/*.yaml", { cwd: root })
    .sort()
    .map((path) => ({
      path,
      objects: parseAllDocuments(readFileSync(join(root, path), "utf8")).map((each) => each.toJS() as AnyObject),
    }));
}

/** Applies a file as `kubectl apply --validate=strict` does, and takes everything away again. */
export async function applyExample(client: KubeClient, { objects }: Example): Promise<void> {
  const served = await client.discover();
  const applied: [Kind, AnyObject][] = [];
  for (const object of objects) {
    const kind = served.find((each) => each.kind === object.kind && apiVersionOf(each) === object.apiVersion);
    if (kind === undefined) throw new Error(`${object.kind} is not served`);
    if (object.metadata.namespace !== undefined) await ensureNamespace(client, object.metadata.namespace);
    await client.apply(kind, object, { fieldManager: "kubectl", fieldValidation: "Strict", force: true });
    applied.push([kind, object]);
  }
  // What has no controller to empty it would stay in its namespace for ever, so namespaces stay.
  for (const [kind, { metadata }] of applied.reverse())
    if (kind.kind !== "Namespace")
      await client.delete(kind, {
        name: metadata.name ?? "",
        ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      });
}

async function ensureNamespace(client: KubeClient, name: string): Promise<void> {
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name } } as const;
  await client.create(Namespace, namespace).catch((error: unknown) => {
    if (!isReason(error, "AlreadyExists")) throw error;
  });
}
