import { createPrivateKey, randomBytes, X509Certificate } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import { keepAccountKey } from "./account-key.ts";
import { type CertificateRequest, issueCertificate, type KeyPair } from "./certificate.ts";
import { readPrivateFile, writePrivateFile } from "./private-file.ts";

/** Everything by which server and clients know each other. */
export interface ServerIdentity {
  /** PEM of the authority that signed the certificates below. */
  readonly authority: string;
  readonly server: KeyPair;
  /** Client certificate of the administrator. */
  readonly admin: KeyPair;
  /** Bearer token of the administrator. */
  readonly token: string;
  /** PEM of the private key that signs tokens of service accounts. */
  readonly accountKey: string;
}

export interface IdentityOptions {
  /** Host names and addresses beside the usual ones under which clients reach the server. */
  readonly names?: readonly string[];
  readonly now?: Date;
}

export const adminUser = "trivium-admin";
export const adminGroup = "system:masters";

const defaultNames = [
  "127.0.0.1",
  "::1",
  "localhost",
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
];
const authorityDays = 3650;
const leafDays = 365;
const day = 24 * 3600 * 1000;
const renewBefore = 30 * day;

/**
 * Reads the identity kept under a directory and makes what is missing. The authority stays for as long as it is valid, so
 * kubeconfigs keep working; leaf certificates are renewed a month before they end and when the names change.
 */
export async function loadOrCreateIdentity(directory: string, options: IdentityOptions = {}): Promise<ServerIdentity> {
  const now = options.now ?? new Date();
  const names = [...new Set([...defaultNames, ...(options.names ?? [])])];
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const authority = await keep(
    directory,
    "ca",
    (pair) => lasts(pair, now),
    () =>
      issueCertificate({
        commonName: `trivium-ca-${randomBytes(4).toString("hex")}`,
        use: { is: "authority" },
        days: authorityDays,
        now,
      }),
  );
  const signed = (request: CertificateRequest) => () => issueCertificate(request, authority);
  const ofAuthority = (pair: KeyPair) => lasts(pair, now) && isSignedBy(pair, authority);
  const server = await keep(
    directory,
    "server",
    (pair) => ofAuthority(pair) && covers(pair, names),
    signed({ commonName: "trivium-apiserver", use: { is: "server", names }, days: leafDays, now }),
  );
  const admin = await keep(
    directory,
    "admin",
    ofAuthority,
    signed({ commonName: adminUser, organizations: [adminGroup], use: { is: "client" }, days: leafDays, now }),
  );
  const [token, accountKey] = [await keepToken(directory), await keepAccountKey(directory)];
  return { authority: authority.cert, server, admin, token, accountKey };
}

/** The pair on disk while it is fit, else a new one. The key is written first: a certificate never lacks its key. */
async function keep(
  directory: string,
  name: string,
  isFit: (pair: KeyPair) => boolean,
  make: () => KeyPair,
): Promise<KeyPair> {
  const [certPath, keyPath] = [join(directory, `${name}.crt`), join(directory, `${name}.key`)];
  const [cert, key] = await Promise.all([readPrivateFile(certPath), readPrivateFile(keyPath)]);
  if (cert !== undefined && key !== undefined && isPair({ cert, key }) && isFit({ cert, key })) return { cert, key };
  const made = make();
  await writePrivateFile(keyPath, made.key);
  await writePrivateFile(certPath, made.cert);
  return made;
}

async function keepToken(directory: string): Promise<string> {
  const path = join(directory, "token");
  const kept = (await readPrivateFile(path))?.trim();
  if (kept !== undefined && kept.length >= 32) return kept;
  const made = randomBytes(32).toString("base64url");
  await writePrivateFile(path, `${made}\n`);
  return made;
}

/** A file cut short or mixed up with another is made again, not trusted. */
function isPair({ cert, key }: KeyPair): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function lasts({ cert }: KeyPair, now: Date): boolean {
  const { validFromDate, validToDate } = new X509Certificate(cert);
  return validFromDate <= now && validToDate.getTime() - now.getTime() > renewBefore;
}

function isSignedBy({ cert }: KeyPair, authority: KeyPair): boolean {
  return new X509Certificate(cert).verify(new X509Certificate(authority.cert).publicKey);
}

function covers({ cert }: KeyPair, names: readonly string[]): boolean {
  const certificate = new X509Certificate(cert);
  return names.every(
    (name) => (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined,
  );
}
