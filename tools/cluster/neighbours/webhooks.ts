import {
  type Kind,
  type KubeClient,
  type KubeObject,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@trivium/kube";

export interface WebhookObject extends KubeObject {
  readonly webhooks: readonly Webhook[];
}

export interface Webhook {
  readonly name: string;
  readonly clientConfig: { readonly service: { readonly path: string } };
}

export interface WebhookServer {
  /** Of a server on loopback of the machine that the API server runs on. */
  readonly port: number;
  readonly authority: string;
  /** The project, before the names of its configurations. */
  readonly project: string;
  /** What the installation of the project changes in a webhook besides its address. */
  adjust?(webhook: Webhook): object;
}

/** Installs the webhooks of a project at an address of this machine instead of a Service. */
export async function installWebhooks(
  client: KubeClient,
  objects: readonly WebhookObject[],
  server: WebhookServer,
): Promise<void> {
  for (const object of objects)
    await client.apply(kindOf(object), reachable(object, server), { fieldManager: server.project, force: true });
}

const kindOf = ({ kind }: KubeObject): Kind<WebhookObject> =>
  (kind === "MutatingWebhookConfiguration"
    ? MutatingWebhookConfiguration
    : ValidatingWebhookConfiguration) as unknown as Kind<WebhookObject>;

function reachable(object: WebhookObject, { port, authority, project, adjust }: WebhookServer): WebhookObject {
  const caBundle = Buffer.from(authority).toString("base64");
  const webhooks = object.webhooks.map(({ clientConfig, ...webhook }) => ({
    ...webhook,
    clientConfig: { url: `https://127.0.0.1:${port}${clientConfig.service.path}`, caBundle },
    ...adjust?.({ clientConfig, ...webhook }),
  }));
  return { ...object, metadata: { name: `${project}-${object.metadata.name}` }, webhooks } as unknown as WebhookObject;
}
