import type { Dialect } from "@trivium/reconcile";
import { type Admitter, emitWebhooks, type Log, serveWebhooks, type WebhookPlace } from "@trivium/runtime";
import { Refusal } from "@trivium/std";
import { stringify } from "yaml";
import { formatAddress } from "./address.ts";
import type { OperatorOptions } from "./options.ts";
import { loadCertificate, watchCertificate } from "./webhook-certificate.ts";
import { defaultPort } from "./webhook-options.ts";

const name = "trivium-operator";

/** The configurations by which an API server asks the webhooks, as text to apply. */
export async function formatWebhooks(options: OperatorOptions, dialects: readonly Dialect[]): Promise<string> {
  const { webhooks, namespace } = options;
  if (webhooks.certificates === undefined) {
    throw new Refusal("the webhook configurations need the CA certificate of the webhooks; set --webhook-cert-dir");
  }
  const place = placeOf(options);
  const { authority } = await loadCertificate(webhooks.certificates, namesOf(place), new Date());
  const { failurePolicy, timeoutSeconds } = webhooks;
  const admissions = dialects.flatMap((dialect) => dialect.admissions ?? []);
  const objects = emitWebhooks(admissions, { name, place, authority, failurePolicy, timeoutSeconds, namespace });
  return objects.map((object) => stringify(object, { aliasDuplicateObjects: false, lineWidth: 0 })).join("---\n");
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

/** Answers reviews until it is closed; nothing where they are off. */
export async function startWebhooks(
  options: OperatorOptions,
  admitter: Admitter,
  log: Log,
): Promise<{ close(): Promise<void> } | undefined> {
  const { listen, certificates } = options.webhooks;
  if (listen === "off") return undefined;
  const { pair, authority } = await loadCertificate(certificates, namesOf(placeOf(options)), new Date());
  const server = await serveWebhooks({ ...listen, pair, admitter, log }).catch((error: NodeJS.ErrnoException) => {
    const why = `cannot listen on ${formatAddress(listen)} (${error.code})`;
    throw new Refusal(`${why}; choose another address with --webhook-listen, or turn webhooks off`);
  });
  const watcher =
    certificates === undefined ? undefined : watchCertificate(certificates, (next) => server.renew(next.pair));
  const address = formatAddress({ ...listen, port: server.port });
  const caBundle = Buffer.from(authority).toString("base64");
  log.info({ address, ...(certificates === undefined ? { caBundle } : {}) }, "serving admission webhooks");
  return {
    close: async () => {
      watcher?.close();
      await server.close();
    },
  };
}
