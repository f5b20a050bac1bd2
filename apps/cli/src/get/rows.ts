import { findUsed, type ServiceRow, serviceRow, withKind } from "@trivium/explain";
import { type AnyObject, Deployment, isReason, type KubeClient, LeaderWorkerSet } from "@trivium/kube";
import { type FoundService, listServices } from "../cluster/service.ts";
import { reader } from "../explain/state.ts";

/** The services of a namespace, or of all, by name. */
export async function listRows(client: KubeClient, namespace: string | undefined): Promise<ServiceRow[]> {
  const services = await listServices(client, namespace);
  const workloads = await listWorkloads(client, services, namespace);
  const rows = await Promise.all(
    services.map(async (service) => {
      const { dialect, object } = service;
      const uses = await listUses(client, service);
      const { name: api, summarizeService } = dialect;
      return serviceRow(object, { api, reader, summarizeService, uses, workloads });
    }),
  );
  return rows.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

const keyOf = ({ namespace, name, api }: ServiceRow): string => `${namespace} ${name} ${api}`;

/** Looked up only for a service that waits: whether it needs a person depends on what it waits for. */
async function listUses(client: KubeClient, { dialect, object }: FoundService): Promise<readonly AnyObject[]> {
  if (reader.standingOf(object).is !== "progressing") return [];
  const { serviceKind: kind, kinds } = dialect;
  return (await findUsed(client, object, { kind, kinds, guideOf: reader.guideOf })).uses;
}

/** Listed only for services that report no numbers of replicas. */
async function listWorkloads(
  client: KubeClient,
  services: readonly FoundService[],
  namespace: string | undefined,
): Promise<readonly AnyObject[]> {
  const hasNumbers = ({ dialect, object }: FoundService): boolean =>
    dialect.summarizeService(object).replicas !== undefined;
  if (services.every(hasNumbers)) return [];
  const lists = await Promise.all([Deployment, LeaderWorkerSet].map((kind) => listOrNone(client, kind, namespace)));
  return lists.flat();
}

async function listOrNone(
  client: KubeClient,
  kind: typeof Deployment | typeof LeaderWorkerSet,
  namespace: string | undefined,
): Promise<AnyObject[]> {
  const { items } = await client
    .list(kind as typeof Deployment, namespace === undefined ? {} : { namespace })
    .catch((error: unknown) => {
      if (isReason(error, "NotFound", "Forbidden", "MethodNotAllowed")) return { items: [] };
      throw error;
    });
  return items.map((item) => withKind(kind, item));
}
