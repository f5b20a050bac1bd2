import { createPrivateKey, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { issueCertificate, KeyPair } from "@trivium/apiserver";
import type { Instant, Millis } from "@trivium/std";

/** A certificate of the webhooks with the authority that signs the next one. */
export interface IssuedCertificates {
  readonly pair: KeyPair;
  /** PEM, newest first: API servers trust all of them, so that a certificate of the authority before stays valid. */
  readonly authorities: readonly string[];
  /** Private key of the newest authority. */
  readonly authorityKey: string;
}

export interface RenewalOptions {
  readonly names: readonly string[];
  /** How long a certificate is valid. */
  readonly lifetime: Millis;
  readonly now: Instant;
  readonly issue: typeof issueCertificate;
}

export interface Renewal {
  readonly certificates: IssuedCertificates;
  readonly isNew: boolean;
  /** When to renew next. */
  readonly dueAt: Instant;
}

/** Authorities outlive many certificates, so that API servers rarely have to learn a new one. */
const certificatesPerAuthority = 40;
const day: Millis = 24 * 3600 * 1000;
/** Certificates are issued as if this long ago, for clocks that differ. */
const backdated: Millis = 3600 * 1000;

/**
 * The certificates as they should be now. A new authority is published for a while before it signs anything, so that an API
 * server never meets a certificate of an authority that it has not read yet.
 */
export function renewCertificates(found: IssuedCertificates | undefined, options: RenewalOptions): Renewal {
  const { lifetime, now } = options;
  if (found === undefined || !hasAuthority(found, now)) return renewalOf(replaceAll(options), true, lifetime);
  const [authority = ""] = found.authorities;
  const isFit = isUsable(found, options);
  if (isFit && endOf(authority) - now <= 2 * lifetime) return renewalOf(addAuthority(found, options), true, lifetime);
  if (isFit && signingTime(found, lifetime) > now) return renewalOf(found, false, lifetime);
  const signer = { cert: authority, key: found.authorityKey };
  const authorities = found.authorities.filter((each) => endOf(each) > now);
  return renewalOf({ ...found, authorities, pair: issueServer(signer, options) }, true, lifetime);
}

function renewalOf(certificates: IssuedCertificates, isNew: boolean, lifetime: Millis): Renewal {
  const [authority = ""] = certificates.authorities;
  const dueAt = Math.min(signingTime(certificates, lifetime), endOf(authority) - 2 * lifetime) as Instant;
  return { certificates, isNew, dueAt };
}

/** After two thirds of its life, and not before the newest authority was published for a while. */
function signingTime({ pair, authorities: [authority = ""] }: IssuedCertificates, lifetime: Millis): Instant {
  const published = new X509Certificate(authority).validFromDate.getTime() + backdated;
  return Math.max(endOf(pair.cert) - lifetime / 3, published + lifetime / 6) as Instant;
}

/** Whether the newest authority can sign. */
function hasAuthority({ authorities: [newest = ""], authorityKey }: IssuedCertificates, now: Instant): boolean {
  try {
    return new X509Certificate(newest).checkPrivateKey(createPrivateKey(authorityKey)) && endOf(newest) > now;
  } catch {
    return false;
  }
}

/** Whether the pair fits, is known by one of the authorities, and is valid under every name. */
function isUsable({ pair, authorities }: IssuedCertificates, { names, now }: RenewalOptions): boolean {
  try {
    const certificate = new X509Certificate(pair.cert);
    return (
      certificate.checkPrivateKey(createPrivateKey(pair.key)) &&
      authorities.some((authority) => certificate.verify(new X509Certificate(authority).publicKey)) &&
      certificate.validToDate.getTime() > now &&
      names.every((name) => isFor(certificate, name))
    );
  } catch {
    return false;
  }
}

export const isFor = (certificate: X509Certificate, name: string): boolean =>
  (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined;

const endOf = (certificate: string): number => new X509Certificate(certificate).validToDate.getTime();

function replaceAll(options: RenewalOptions): IssuedCertificates {
  const authority = issueAuthority(options);
  return { pair: issueServer(authority, options), authorities: [authority.cert], authorityKey: authority.key };
}

function addAuthority(found: IssuedCertificates, options: RenewalOptions): IssuedCertificates {
  const authority = issueAuthority(options);
  return { ...found, authorities: [authority.cert, ...found.authorities], authorityKey: authority.key };
}

function issueAuthority({ lifetime, now, issue }: RenewalOptions): KeyPair {
  const days = (certificatesPerAuthority * lifetime) / day;
  // Numbered by time: two authorities of one name could not be told apart.
  const commonName = `trivium-webhooks-ca-${now.toString(36)}`;
  return issue({ commonName, use: { is: "authority" }, days, now: new Date(now) });
}

function issueServer(authority: KeyPair, { names, lifetime, now, issue }: RenewalOptions): KeyPair {
  const use = { is: "server", names } as const;
  return issue({ commonName: "trivium-webhooks", use, days: lifetime / day, now: new Date(now) }, authority);
}
