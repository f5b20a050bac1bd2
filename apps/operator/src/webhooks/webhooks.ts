import type { KubeClient } from "@trivium/kube";
import type { Dialect } from "@trivium/reconcile";
import { type Admitter, emitWebhooks, type Log, serveWebhooks, type WebhookPlace } from "@trivium/runtime";
import { Refusal } from "@trivium/std";
import { stringify } from "yaml";
import { formatAddress } from "../options/address.ts";
import type { OperatorOptions } from "../options/options.ts";
import { CertificateSecret } from "./certificate-secret.ts";
import type { IssuedCertificates } from "./issued-certificates.ts";
import { AuthorityPublisher } from "./publish-authority.ts";
import { loadCertificate, watchCertificate } from "./webhook-certificate.ts";
import { defaultPort } from "./webhook-options.ts";

const name = "trivium-operator";

/** The configurations by which an API server asks the webhooks, as text to apply. */
export async function formatWebhooks(options: OperatorOptions, dialects: readonly Dialect[]): Promise<string> {
  const { webhooks, namespace } = options;
  const place = placeOf(options);
  const authority = await authorityOf(webhooks, place);
  const { failurePolicy, timeoutSeconds, configuration: name } = webhooks;
  const admissions = dialects.flatMap((dialect) => dialect.admissions ?? []);
  const objects = emitWebhooks(admissions, { name, place, authority, failurePolicy, timeoutSeconds, namespace });
  return objects.map((object) => stringify(object, { aliasDuplicateObjects: false, lineWidth: 0 })).join("---\n");
}

/** With a Secret the operator adds the authority itself. */
async function authorityOf(webhooks: OperatorOptions["webhooks"], place: WebhookPlace): Promise<string | undefined> {
  if (webhooks.secret !== undefined) return undefined;
  if (webhooks.certificates === undefined) {
    const advice = "set --webhook-cert-secret or --webhook-cert-dir";
    throw new Refusal(`the webhook configurations need the CA certificate of the webhooks; ${advice}`);
  }
  return (await loadCertificate(webhooks.certificates, namesOf(place), new Date())).authority;
}

function placeOf({ webhooks, operatorNamespace }: OperatorOptions): WebhookPlace {
  return webhooks.place ?? { is: "service", namespace: operatorNamespace ?? "default", name, port: defaultPort };
}

/** Under which names the API server reaches the webhooks. */
function namesOf(place: WebhookPlace): string[] {
  const own = ["localhost", "127.0.0.1", "::1"];
  if (place.is === "url") return [...new Set([new URL(place.url).hostname.replace(/^\[|\]$/g, ""), ...own])];
  const host = `${place.name}.${place.namespace}.svc`;
  return [host, `${host}.cluster.local`, ...own];
}

/** What webhooks need of the operator around them. */
export interface WebhookContext {
  readonly client: KubeClient;
  /** The namespace of the operator. */
  readonly namespace: string;
  readonly admitter: Admitter;
  readonly log: Log;
}

/** Answers reviews until it is closed; nothing where they are off. */
export async function startWebhooks(
  options: OperatorOptions,
  context: WebhookContext,
): Promise<{ close(): Promise<void> } | undefined> {
  const { listen } = options.webhooks;
  if (listen === "off") return undefined;
  return options.webhooks.secret === undefined
    ? serveFromFolder(options, context)
    : serveFromSecret(options, options.webhooks.secret, context);
}

async function serveFromFolder(options: OperatorOptions, context: WebhookContext): Promise<{ close(): Promise<void> }> {
  const { certificates } = options.webhooks;
  const { pair, authority } = await loadCertificate(certificates, namesOf(placeOf(options)), new Date());
  const caBundle = Buffer.from(authority).toString("base64");
  const server = await serve(options, pair, context, certificates === undefined ? { caBundle } : {});
  const watcher =
    certificates === undefined ? undefined : watchCertificate(certificates, (next) => server.renew(next.pair));
  return {
    close: async () => {
      watcher?.close();
      await server.close();
    },
  };
}

/** API servers learn a new authority before a certificate of it is shown. */
async function serveFromSecret(
  options: OperatorOptions,
  secret: string,
  context: WebhookContext,
): Promise<{ close(): Promise<void> }> {
  const { client, namespace, log } = context;
  const { lifetime, configuration } = options.webhooks;
  const ref = { namespace, name: secret };
  const stored = await CertificateSecret.open({ client, ref, names: namesOf(placeOf(options)), lifetime, log });
  const server = await serve(options, stored.current.pair, context, { secret });
  const publisher = new AuthorityPublisher({ client, name: configuration, log }, stored.current.authorities);
  publisher.start();
  stored.follow(async ({ pair, authorities }: IssuedCertificates) => {
    await publisher.publish(authorities);
    server.renew(pair);
  });
  return {
    close: async () => {
      await Promise.all([stored.close(), publisher.stop()]);
      await server.close();
    },
  };
}

async function serve(
  options: OperatorOptions,
  pair: IssuedCertificates["pair"],
  { admitter, log }: WebhookContext,
  fields: object,
): Promise<Awaited<ReturnType<typeof serveWebhooks>>> {
  const listen = options.webhooks.listen as Exclude<OperatorOptions["webhooks"]["listen"], "off">;
  const server = await serveWebhooks({ ...listen, pair, admitter, log }).catch((error: NodeJS.ErrnoException) => {
    const why = `cannot listen on ${formatAddress(listen)} (${error.code})`;
    throw new Refusal(`${why}; choose another address with --webhook-listen, or turn webhooks off`);
  });
  log.info({ address: formatAddress({ ...listen, port: server.port }), ...fields }, "serving admission webhooks");
  return server;
}
