import { createPrivateKey, X509Certificate } from "node:crypto";
import { type FSWatcher, mkdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { issueCertificate, type KeyPair } from "@trivium/apiserver";
import { Refusal } from "@trivium/std";
import { isFor } from "./issued-certificates.ts";

/** What the webhooks show, and by what an API server knows it. */
export interface WebhookCertificate {
  readonly pair: KeyPair;
  /** PEM of the authority. */
  readonly authority: string;
}

const day = 24 * 3600 * 1000;

/** The certificate in the folder, or one of our own: kept in the folder where there is one, so that it outlives the process. */
export async function loadCertificate(
  folder: string | undefined,
  names: readonly string[],
  now: Date,
): Promise<WebhookCertificate> {
  if (folder === undefined) return makeCertificate(names, now);
  const found = readCertificate(folder);
  if (found !== undefined && (!isMadeHere(folder) || isFit(found, names, now))) return found;
  const made = makeCertificate(names, now);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // The key first: a certificate never lacks its key.
    writeFileSync(join(folder, "tls.key"), made.pair.key, { mode: 0o600 });
    writeFileSync(join(folder, "tls.crt"), made.pair.cert);
    writeFileSync(join(folder, "ca.crt"), made.authority);
    writeFileSync(join(folder, markName), "");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new Refusal(`no certificate found in ${folder}, and it is not writable (${code}); change --webhook-cert-dir`);
  }
  return made;
}

/** Says that a certificate was made here, and may be made anew. */
const markName = ".made-by-trivium";

/** Whatever is in the folder now; a certificate without its key is a fault of whoever put it there. */
function readCertificate(folder: string): WebhookCertificate | undefined {
  const [cert, key, authority] = ["tls.crt", "tls.key", "ca.crt"].map((name) => readText(join(folder, name)));
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined || !isPair({ cert, key }))
    throw new Refusal(`tls.crt and tls.key in ${folder} do not match; replace them, or change --webhook-cert-dir`);
  return { pair: { cert, key }, authority: authority ?? cert };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new Refusal(
      `cannot read ${path} (${(error as NodeJS.ErrnoException).code}); check the file, or change --webhook-cert-dir`,
    );
  }
}

function isPair({ cert, key }: KeyPair): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

const isMadeHere = (folder: string): boolean => readText(join(folder, markName)) !== undefined;

/** Good for a month at least, under every name that it is asked for by. */
function isFit({ pair }: WebhookCertificate, names: readonly string[], now: Date): boolean {
  const certificate = new X509Certificate(pair.cert);
  if (certificate.validToDate.getTime() - now.getTime() < 30 * day) return false;
  return names.every((name) => isFor(certificate, name));
}

const years = 10 * 365;

/** The authority's key is forgotten: nothing else is ever signed with it. */
function makeCertificate(names: readonly string[], now: Date): WebhookCertificate {
  const common = { days: years, now };
  const authority = issueCertificate({ ...common, commonName: "trivium-webhooks-ca", use: { is: "authority" } });
  const use = { is: "server", names } as const;
  return {
    pair: issueCertificate({ ...common, commonName: "trivium-webhooks", use }, authority),
    authority: authority.cert,
  };
}

/** Tells when the files in a folder become another certificate, as when a cluster renews it. */
export function watchCertificate(folder: string, onChange: (next: WebhookCertificate) => void): FSWatcher {
  return watch(folder, () => {
    try {
      const next = readCertificate(folder);
      if (next !== undefined) onChange(next);
    } catch (error) {
      // In the middle of a change the two do not fit; the next event brings the rest.
      if (!(error instanceof Refusal)) throw error;
    }
  });
}
