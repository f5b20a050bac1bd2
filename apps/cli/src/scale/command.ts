import { namespaceOption } from "@trivium/engines";
import { type JsonObject, Refusal } from "@trivium/std";
import type { AccessOptions } from "../access.ts";
import { type FoundService, findService } from "../cluster/service.ts";
import { type Session, withCluster } from "../cluster/session.ts";
import { countOf } from "../count.ts";

export interface StartOptions extends AccessOptions {
  readonly replicas?: number;
}

/** Read by the gateway, which starts what is scaled to zero: not what a person stopped. */
const stoppedAnnotation = "trivium.dev/stopped";

/** Stops the pods of a service until it is started again; requests do not start it. */
export function stop(words: string, options: AccessOptions): Promise<string> {
  return withCluster(options, async (session) => {
    const service = await findService(session.client, words, session.namespace);
    const { suspension } = service.dialect;
    await patch(session, service, suspension?.stop ?? markedAs("true"));
    if (hasScale(service) && suspension === undefined) await scale(session, service, 0);
    return `${titleOf(service)} is stopping; trivium start ${words}${namespaceOption(session.namespace)} starts it again`;
  });
}

/** Starts a service with the replicas it had, or with so many. */
export function start(words: string, options: StartOptions): Promise<string> {
  return withCluster(options, async (session) => {
    const service = await findService(session.client, words, session.namespace);
    const { suspension } = service.dialect;
    if (!hasScale(service)) return startUnscaled(session, service, options);
    const { replicas: kept } = service.object.spec as { readonly replicas?: number };
    const replicas = options.replicas ?? (kept || 1);
    await patch(session, service, suspension?.start ?? markedAs(null));
    if (replicas !== (kept ?? 1)) await scale(session, service, replicas);
    return `${titleOf(service)} is starting with ${countOf(replicas, "replica")}`;
  });
}

const markedAs = (value: string | null): JsonObject => ({ metadata: { annotations: { [stoppedAnnotation]: value } } });

const titleOf = ({ object }: FoundService): string => `${object.kind} ${object.metadata.name}`;

/** Whether its API has a number of replicas: otherwise the annotation alone stops it. */
const hasScale = ({ dialect }: FoundService): boolean => dialect.serviceKind.scale !== undefined;

async function startUnscaled(session: Session, service: FoundService, { replicas }: StartOptions): Promise<string> {
  if (replicas !== undefined)
    throw new Refusal(
      `${titleOf(service)} has no number of replicas to set; leave out --replicas, and set the minimum and maximum of replicas in its spec`,
    );
  await patch(session, service, markedAs(null));
  return `${titleOf(service)} is starting`;
}

async function patch(
  { client, namespace }: Session,
  { dialect, object }: FoundService,
  body: JsonObject,
): Promise<void> {
  const { name = "" } = object.metadata;
  await client.patch(dialect.serviceKind, { namespace, name }, { type: "merge", body });
}

async function scale({ client, namespace }: Session, service: FoundService, replicas: number): Promise<void> {
  const { name = "" } = service.object.metadata;
  const body = { type: "merge", body: { spec: { replicas } } } as const;
  await client.patch(service.dialect.serviceKind, { namespace, name }, body, { subresource: "scale" });
}
