import type { ServingDialect } from "@trivium/domain";
import {
  CustomResourceDefinition,
  EndpointSlice,
  groupResourceOf,
  isReason,
  type Kind,
  type KubeClient,
  type KubeObject,
  MutatingWebhookConfiguration,
  type Ref,
  Service,
  ValidatingWebhookConfiguration,
} from "@trivium/kube";
import { isObject } from "@trivium/std";

/** A configuration that makes the API server refuse requests about objects of an API. */
export interface BlockingWebhook {
  readonly kind: string;
  readonly name: string;
  /** Not yet, where the upstream operator still answers. */
  readonly isDead: boolean;
  /** What calls what, and what is refused therefore. */
  readonly why: string;
  /** The command that ends it. */
  readonly fix: string;
}

type Reader = Pick<KubeClient, "get" | "list">;
type Configuration = ValidatingWebhookConfiguration | MutatingWebhookConfiguration;
type Webhook = NonNullable<Configuration["webhooks"]>[number];

/**
 * Webhooks on objects of these APIs that nothing answers, or that only the upstream operator answers: with `failurePolicy: Fail`, the
 * default, nobody can write such objects once it is stopped, nor create pods that it wants to see. What the caller cannot read is left out.
 */
export async function findBlockingWebhooks(
  client: Reader,
  dialects: readonly ServingDialect[],
): Promise<readonly BlockingWebhook[]> {
  const kinds: readonly Kind<Configuration>[] = [MutatingWebhookConfiguration, ValidatingWebhookConfiguration];
  const configurations = await Promise.all(
    kinds.map(async (kind) => {
      const found = await listOrNone(client, kind);
      return Promise.all(found.map((one) => admissionFault(client, { kind, configuration: one, dialects })));
    }),
  );
  const conversions = await Promise.all(
    dialects.flatMap(({ kinds: own }) => own.map((kind) => conversionFault(client, groupResourceOf(kind)))),
  );
  return [...configurations.flat(), ...conversions].filter((one) => one !== undefined);
}

interface Examined {
  readonly kind: Kind;
  readonly configuration: Configuration;
  readonly dialects: readonly ServingDialect[];
}

async function admissionFault(
  client: Reader,
  { kind, configuration, dialects }: Examined,
): Promise<BlockingWebhook | undefined> {
  const { name = "" } = configuration.metadata;
  for (const webhook of configuration.webhooks ?? []) {
    const { service } = webhook.clientConfig;
    const resources = resourcesOf(webhook, dialects);
    if (service === undefined || webhook.failurePolicy === "Ignore" || resources.length === 0) continue;
    const dead = await deadService(client, service);
    const state = dead ?? describeOther(service.namespace, dialects);
    if (state === undefined) continue;
    const what = `webhook ${webhook.name} calls Service ${service.namespace}/${service.name}, ${state}`;
    const why = `${what}; then the API server refuses changes of ${resources.join(", ")}`;
    const fix = `kubectl delete ${kind.kind.toLowerCase()} ${name}`;
    return { kind: kind.kind, name, isDead: dead !== undefined, why, fix };
  }
  return undefined;
}

/** Of the objects of these APIs and of the pods that serve them, those that the webhook sees. */
function resourcesOf({ rules = [], objectSelector }: Webhook, dialects: readonly ServingDialect[]): string[] {
  const labels = [
    ...Object.keys(objectSelector?.matchLabels ?? {}),
    ...(objectSelector?.matchExpressions ?? []).map(({ key }) => key),
  ];
  const groups = dialects.map(({ group }) => group);
  const isOfServices = labels.some((label) => groups.some((group) => label.startsWith(`${group}/`)));
  return rules.flatMap(({ apiGroups = [], resources = [] }) => {
    const own = apiGroups.filter((group) => group === "*" || groups.includes(group));
    const seen = own.flatMap((group) =>
      resources.map((resource) => (group === "*" ? resource : `${resource}.${group}`)),
    );
    return isOfServices && apiGroups.includes("") ? [...seen, ...resources.map((one) => `${one} of services`)] : seen;
  });
}

/** A webhook that answers today, and no longer when the operator is stopped. */
function describeOther(namespace: string, dialects: readonly ServingDialect[]): string | undefined {
  const upstream = dialects
    .flatMap((one) => one.upstream ?? [])
    .find(({ namespaces }) => namespaces.includes(namespace));
  return upstream && `which stops answering with ${upstream.name}`;
}

async function conversionFault(client: Reader, name: string): Promise<BlockingWebhook | undefined> {
  const definition = await getOrNone(client, CustomResourceDefinition, { name });
  const { strategy, webhook } = definition?.spec.conversion ?? {};
  if (definition === undefined || strategy !== "Webhook" || definition.spec.versions.length < 2) return undefined;
  const { clientConfig } = (webhook ?? {}) as { clientConfig?: { service?: ServicePlace } };
  const service = clientConfig?.service;
  const state = isObject(service) ? await deadService(client, service as ServicePlace) : undefined;
  if (service === undefined || state === undefined) return undefined;
  const what = `its conversion webhook calls Service ${service.namespace}/${service.name}, ${state}`;
  const why = `${what}; then objects that are stored in another version cannot be read`;
  const fix = `kubectl patch crd ${name} --type json -p '[{"op":"remove","path":"/spec/conversion"}]'`;
  return { kind: "CustomResourceDefinition", name, isDead: true, why, fix };
}

interface ServicePlace {
  readonly namespace: string;
  readonly name: string;
}

/** Why nothing answers; nothing where something does, or the caller cannot know. */
async function deadService(client: Reader, { namespace, name }: ServicePlace): Promise<string | undefined> {
  try {
    await client.get(Service, { namespace, name });
  } catch (error) {
    if (isReason(error, "NotFound")) return "which does not exist";
    if (isReason(error, "Forbidden")) return undefined;
    throw error;
  }
  const labelSelector = `kubernetes.io/service-name=${name}`;
  const slices = await client.list(EndpointSlice, { namespace, labelSelector }).catch((error: unknown) => {
    if (isReason(error, "Forbidden")) return undefined;
    throw error;
  });
  const isReady = slices?.items.some(({ endpoints }) =>
    endpoints?.some(({ conditions }) => conditions?.ready !== false),
  );
  return slices === undefined || isReady === true ? undefined : "which has no ready endpoint";
}

const listOrNone = async <O extends KubeObject>(client: Reader, kind: Kind<O>): Promise<readonly O[]> =>
  (await client.list(kind, {}).catch(withoutRights))?.items ?? [];

const getOrNone = <O extends KubeObject>(client: Reader, kind: Kind<O>, ref: Ref): Promise<O | undefined> =>
  client.get(kind, ref).catch(withoutRights);

function withoutRights(error: unknown): undefined {
  if (!isReason(error, "NotFound", "Forbidden", "MethodNotAllowed")) throw error;
}
