import { issueCertificate } from "@trivium/apiserver";
import { isReason, type KubeClient, type Ref, Secret } from "@trivium/kube";
import type { Log } from "@trivium/runtime";
import type { Instant, Millis } from "@trivium/std";
import { ClusterFault } from "../cluster-fault.ts";
import { followObject } from "./follow-object.ts";
import { type IssuedCertificates, type Renewal, renewCertificates } from "./issued-certificates.ts";

export interface CertificateSecretOptions {
  readonly client: KubeClient;
  readonly ref: Ref & { readonly namespace: string };
  readonly names: readonly string[];
  readonly lifetime: Millis;
  readonly log: Log;
}

/** Timers hold no more than this. */
const longestTimer: Millis = 2 ** 31 - 1;
const retryPause: Millis = 5_000;

/**
 * Certificates of the webhooks in a Secret that all replicas share. Each of them renews what is due: a write is only accepted
 * over the version that it is based on, so one of them succeeds and the others read what it wrote.
 */
export class CertificateSecret {
  readonly #options: CertificateSecretOptions;
  readonly #stopping = new AbortController();
  #current: IssuedCertificates;
  #timer: NodeJS.Timeout | undefined;
  #onChange: (next: IssuedCertificates) => Promise<void> = async () => undefined;
  #following: Promise<void> = Promise.resolve();

  private constructor(options: CertificateSecretOptions, current: IssuedCertificates) {
    this.#options = options;
    this.#current = current;
  }

  static async open(options: CertificateSecretOptions): Promise<CertificateSecret> {
    const { certificates } = await renewStored(options);
    return new CertificateSecret(options, certificates);
  }

  get current(): IssuedCertificates {
    return this.#current;
  }

  /** From now on renews in time, and calls back when the certificates change. */
  follow(onChange: (next: IssuedCertificates) => Promise<void>): void {
    const { client, ref, log } = this.#options;
    this.#onChange = onChange;
    const { signal } = this.#stopping;
    this.#following = followObject(Secret, ref, { client, log, signal }, async (secret) => {
      if (secret === undefined) log.warn({ secret: ref.name }, "the Secret of the webhook certificates was deleted");
      else await this.#renew();
    });
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#following;
  }

  async #renew(): Promise<void> {
    const { log, ref } = this.#options;
    try {
      const { certificates, isNew, dueAt } = await renewStored(this.#options);
      if (isNew) log.info({ secret: ref.name, due: new Date(dueAt).toISOString() }, "renewed the webhook certificates");
      this.#schedule(dueAt - Date.now());
      if (contentOf(certificates) === contentOf(this.#current)) return;
      await this.#onChange(certificates);
      this.#current = certificates;
    } catch (error) {
      log.warn({ err: error, secret: ref.name }, "cannot renew the webhook certificates; retrying");
      this.#schedule(retryPause);
    }
  }

  #schedule(wait: Millis): void {
    clearTimeout(this.#timer);
    if (this.#stopping.signal.aborted) return;
    this.#timer = setTimeout(() => void this.#renew(), Math.min(Math.max(wait, 0), longestTimer));
    this.#timer.unref();
  }
}

const contentOf = ({ pair, authorities }: IssuedCertificates): string => [pair.cert, ...authorities].join("");

/** What the Secret contains, renewed and written back where that is due. */
async function renewStored(options: CertificateSecretOptions): Promise<Renewal> {
  const { client, ref, names, lifetime } = options;
  for (;;) {
    const secret = await client.get(Secret, ref).catch((error: unknown) => {
      if (!isReason(error, "NotFound")) throw error;
      const advice = "create an empty one, or change --webhook-cert-secret";
      throw new ClusterFault(`Secret ${ref.namespace}/${ref.name} for the webhook certificates not found; ${advice}`);
    });
    const renewal = renewCertificates(parseSecret(secret), {
      names,
      lifetime,
      now: Date.now() as Instant,
      issue: issueCertificate,
    });
    if (!renewal.isNew) return renewal;
    try {
      await client.patch(Secret, ref, { type: "merge", body: formatSecret(secret, renewal.certificates) });
      return renewal;
    } catch (error) {
      // Another replica was faster.
      if (!isReason(error, "Conflict")) throw error;
    }
  }
}

function parseSecret({ data = {} }: Secret): IssuedCertificates | undefined {
  const [cert, key, bundle, authorityKey] = ["tls.crt", "tls.key", "ca.crt", "ca.key"].map((name) =>
    Buffer.from(data[name] ?? "", "base64").toString("utf8"),
  );
  if (!cert || !key || !bundle || !authorityKey) return undefined;
  const authorities = bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g) ?? [];
  return { pair: { cert, key }, authorities, authorityKey };
}

function formatSecret({ metadata }: Secret, { pair, authorities, authorityKey }: IssuedCertificates) {
  const encode = (text: string): string => Buffer.from(text).toString("base64");
  return {
    metadata: { resourceVersion: metadata.resourceVersion ?? "" },
    data: {
      "tls.crt": encode(pair.cert),
      "tls.key": encode(pair.key),
      "ca.crt": encode(authorities.join("")),
      "ca.key": encode(authorityKey),
    },
  };
}
