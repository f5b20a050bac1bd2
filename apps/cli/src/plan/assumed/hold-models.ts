import { type ArtifactReport, repositoryFiles, type WantedArtifact } from "@trivium/domain";
import { ConfigMap, isReason, Namespace, Node } from "@trivium/kube";
import { formatFileUri } from "@trivium/std";
import type { AssumptionContext } from "./context.ts";
import { modelReading } from "./model-reading.ts";

/** Nodes report the models that they are asked to hold, as their agents do; false where they have nothing new to report. */
export async function holdModels(context: AssumptionContext): Promise<boolean> {
  const { client, modelStore, isNew } = context;
  const { items: nodes } = await client.list(Node);
  const lists = await Promise.all(
    modelStore.kinds.map(async (kind) => {
      const { items } = await client.list(kind).catch((error: unknown) => {
        if (isReason(error, "NotFound", "Forbidden")) return { items: [] };
        throw error;
      });
      return items.filter((item) => isNew(kind, item)).map((item) => ({ ...item, kind: kind.kind }));
    }),
  );
  const models = lists.flat();
  let hasReported = false;
  for (const node of nodes)
    for (const model of models) {
      const request = modelStore.requestsOf(model, node);
      const report = request.is === "wanted" ? await reportOf(request.artifact, context) : undefined;
      if (report !== undefined) hasReported = (await write(context, node, { object: model, report })) || hasReported;
    }
  return hasReported;
}

async function reportOf(artifact: WantedArtifact, { asked }: AssumptionContext): Promise<ArtifactReport | undefined> {
  const { key, source, permit, path } = artifact;
  if (source.is === "refused") return { key, is: "failed", why: source.why };
  if (source.is === "elsewhere") return { key, is: "ready" };
  const uri = source.is === "fetched" ? source.uri : formatFileUri(path);
  const listing = source.is === "fetched" ? await asked.find(repositoryFiles, { uri }) : { files: [] };
  if (listing === undefined) return undefined;
  if ("refused" in listing) return { key, is: "failed", why: listing.why };
  const listed = source.is === "fetched" ? { listed: listing.files } : {};
  if (permit !== undefined && source.is === "fetched") return { key, is: "updating", ...listed };
  if (artifact.reading === "nothing") return { key, is: "ready", ...listed };
  const read = await asked.find(modelReading, { uri });
  if (read === undefined) return undefined;
  return "refused" in read ? { key, is: "failed", why: read.why } : { key, is: "ready", read, ...listed };
}

type Held = Parameters<AssumptionContext["modelStore"]["describe"]>[0][number];

/** Labels and entries are added to those of other models. */
async function write({ client, modelStore, assume }: AssumptionContext, node: Node, held: Held): Promise<boolean> {
  const { name: nodeName = "" } = node.metadata;
  const { labels, data } = modelStore.describe([held]);
  const report = modelStore.reportOf(nodeName);
  const { namespace = "", name = "" } = report.metadata;
  const live = await client.get(ConfigMap, { namespace, name }).catch((error: unknown) => {
    if (isReason(error, "NotFound")) return undefined;
    throw error;
  });
  if (Object.entries(data).every(([key, text]) => live?.data?.[key] === text)) return false;
  assume(ConfigMap, { namespace, name });
  assume(Node, { name: nodeName });
  if (live === undefined) {
    assume(Namespace, { name: namespace });
    const created: Namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
    await client.create(Namespace, created).catch((error: unknown) => {
      if (!isReason(error, "AlreadyExists")) throw error;
    });
    await client.create(ConfigMap, { ...report, data });
  } else await client.patch(ConfigMap, { namespace, name }, { type: "merge", body: { data } });
  await client.patch(Node, { name: nodeName }, { type: "merge", body: { metadata: { labels } } });
  return true;
}
