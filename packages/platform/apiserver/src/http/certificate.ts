import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from "node:crypto";
import { isIP, isIPv4 } from "node:net";
import * as der from "./der.ts";

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export type CertificateUse =
  | { readonly is: "authority" }
  | { readonly is: "server"; readonly names: readonly string[] }
  | { readonly is: "client" };

export interface CertificateRequest {
  /** Common name; for a client certificate the user. */
  readonly commonName: string;
  /** Organisations; for a client certificate the groups. */
  readonly organizations?: readonly string[];
  readonly use: CertificateUse;
  readonly days: number;
  readonly now: Date;
}

const ids = {
  commonName: "2.5.4.3",
  organization: "2.5.4.10",
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  subjectKeyId: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyId: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1",
  clientAuth: "1.3.6.1.5.5.7.3.2",
};

/** Issues a certificate with a new P-256 key, signed by `issuer`, or by itself when there is none. */
export function issueCertificate(request: CertificateRequest, issuer?: KeyPair): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const issuerName = issuer === undefined ? subjectOf(request) : subjectBytes(new X509Certificate(issuer.cert));
  const issuerKey = issuer === undefined ? publicKey : createPublicKey(issuer.key);
  const algorithm = der.sequence(der.objectId(ids.ecdsaWithSha256));
  const body = der.sequence(
    der.explicit(0, der.integer(Buffer.from([2]))),
    der.integer(serialNumber()),
    algorithm,
    issuerName,
    validity(request),
    subjectOf(request),
    spki(publicKey),
    der.explicit(3, der.sequence(...extensions(request.use, publicKey, issuerKey))),
  );
  const signature = sign("sha256", body, issuer?.key ?? privateKey);
  const certificate = der.sequence(body, algorithm, der.bits(signature));
  return { cert: pem("CERTIFICATE", certificate), key: String(privateKey.export({ type: "pkcs8", format: "pem" })) };
}

/** Positive and 127 bits at most, as RFC 5280 asks. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] as number) & 0x7f) | 0x40;
  return bytes;
}

/** A little in the past, for clocks that do not agree. */
function validity({ now, days }: CertificateRequest): Buffer {
  const hour = 3600 * 1000;
  return der.sequence(der.time(new Date(now.getTime() - hour)), der.time(new Date(now.getTime() + days * 24 * hour)));
}

function subjectOf({ commonName, organizations = [] }: CertificateRequest): Buffer {
  const part = (id: string, text: string) => der.set(der.sequence(der.objectId(id), der.utf8(text)));
  return der.sequence(...organizations.map((name) => part(ids.organization, name)), part(ids.commonName, commonName));
}

/** The subject of a certificate as it is written in it: a chain only holds when issuer and subject are equal bytes. */
function subjectBytes(certificate: X509Certificate): Buffer {
  const parts = certificate.subject.split("\n").map((line) => {
    const at = line.indexOf("=");
    const id = line.slice(0, at) === "O" ? ids.organization : ids.commonName;
    return der.set(der.sequence(der.objectId(id), der.utf8(line.slice(at + 1))));
  });
  return der.sequence(...parts);
}

function spki(key: KeyObject): Buffer {
  return key.export({ type: "spki", format: "der" });
}

function keyIdOf(key: KeyObject): Buffer {
  return createHash("sha1").update(spki(key)).digest();
}

function extensions(use: CertificateUse, own: KeyObject, issuer: KeyObject): Buffer[] {
  const extension = (id: string, content: Uint8Array, isCritical?: "critical") =>
    der.sequence(der.objectId(id), ...(isCritical ? [der.boolean(true)] : []), der.octets(content));
  const isAuthority = use.is === "authority";
  // Bit 5 signs certificates, bit 6 revocation lists; bit 0 signs handshakes.
  const usage = isAuthority ? der.bits(Buffer.from([0b0000_0110]), 1) : der.bits(Buffer.from([0b1000_0000]), 7);
  return [
    extension(ids.basicConstraints, der.sequence(...(isAuthority ? [der.boolean(true)] : [])), "critical"),
    extension(ids.keyUsage, usage, "critical"),
    extension(ids.subjectKeyId, der.octets(keyIdOf(own))),
    extension(ids.authorityKeyId, der.sequence(der.implicit(0, keyIdOf(issuer)))),
    ...(isAuthority
      ? []
      : [
          extension(
            ids.extendedKeyUsage,
            der.sequence(der.objectId(use.is === "server" ? ids.serverAuth : ids.clientAuth)),
          ),
        ]),
    ...(use.is === "server" ? [extension(ids.subjectAltName, der.sequence(...use.names.map(altName)))] : []),
  ];
}

function altName(name: string): Buffer {
  return isIP(name) === 0 ? der.implicit(2, Buffer.from(name, "latin1")) : der.implicit(7, addressBytes(name));
}

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split(".").map(Number));
  const [head = "", tail] = address.split("::");
  const words = (part: string | undefined) => (part === undefined || part === "" ? [] : part.split(":"));
  const before = words(head);
  const after = words(tail);
  const gap = tail === undefined ? 0 : 8 - before.length - after.length;
  const all = [...before, ...new Array<string>(gap).fill("0"), ...after];
  return Buffer.from(all.flatMap((word) => [Number.parseInt(word, 16) >> 8, Number.parseInt(word, 16) & 0xff]));
}

function pem(label: string, content: Buffer): string {
  const lines = content.toString("base64").replace(/.{64}/g, "$&\n").trimEnd();
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}
