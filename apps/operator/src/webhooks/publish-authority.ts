import {
  apiVersionOf,
  type Kind,
  type KubeClient,
  type KubeObject,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@trivium/kube";
import type { Log } from "@trivium/runtime";
import { followObject } from "./follow-object.ts";

/** The part of a configuration that is ours: by which authorities API servers know the webhooks. */
interface Configuration extends KubeObject {
  readonly webhooks?: readonly { readonly name: string; readonly clientConfig: { readonly caBundle?: string } }[];
}

const kinds = [MutatingWebhookConfiguration, ValidatingWebhookConfiguration] as readonly Kind<Configuration>[];

export interface PublisherOptions {
  readonly client: KubeClient;
  /** Name of both configurations. */
  readonly name: string;
  readonly log: Log;
}

/** Keeps the authorities in the webhook configurations of a cluster, also after others have applied these without them. */
export class AuthorityPublisher {
  readonly #options: PublisherOptions;
  readonly #stopping = new AbortController();
  readonly #seen = new Map<string, Configuration>();
  #caBundle: string;
  #following: Promise<unknown> = Promise.resolve();

  constructor(options: PublisherOptions, authorities: readonly string[]) {
    this.#options = options;
    this.#caBundle = encode(authorities);
  }

  start(): void {
    const { client, name, log } = this.#options;
    const { signal } = this.#stopping;
    const follow = (kind: Kind<Configuration>): Promise<void> =>
      followObject(kind, { name }, { client, log, signal }, async (configuration) => {
        if (configuration === undefined) this.#seen.delete(kind.kind);
        else this.#seen.set(kind.kind, configuration);
        await this.#write(kind);
      });
    this.#following = Promise.all(kinds.map(follow));
  }

  async publish(authorities: readonly string[]): Promise<void> {
    this.#caBundle = encode(authorities);
    for (const kind of kinds) await this.#write(kind);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#following;
  }

  async #write(kind: Kind<Configuration>): Promise<void> {
    const { client, name } = this.#options;
    const caBundle = this.#caBundle;
    const webhooks = this.#seen.get(kind.kind)?.webhooks ?? [];
    if (webhooks.every(({ clientConfig }) => clientConfig.caBundle === caBundle)) return;
    const object: Configuration = {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: { name },
      webhooks: webhooks.map((webhook) => ({ name: webhook.name, clientConfig: { caBundle } })),
    };
    await client.apply(kind, object, { fieldManager: "trivium-operator.webhooks", force: true });
  }
}

const encode = (authorities: readonly string[]): string => Buffer.from(authorities.join("")).toString("base64");
