import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { test } from "node:test";
import { issueCertificate } from "@trivium/apiserver";
import type { Instant } from "@trivium/std";
import { type IssuedCertificates, renewCertificates } from "./issued-certificates.ts";

const hour = 3600 * 1000;
const start = Date.parse("2026-11-16T00:00:00Z");
const lifetime = 90 * 24 * hour;
const names = ["hooks.ops.svc", "127.0.0.1"];
const at = (found: IssuedCertificates | undefined, now: number, asked: readonly string[] = names) =>
  renewCertificates(found, { names: asked, lifetime, now: now as Instant, issue: issueCertificate });

const isTrusted = (pair: IssuedCertificates["pair"], authorities: readonly string[]): boolean =>
  authorities.some((authority) => new X509Certificate(pair.cert).verify(new X509Certificate(authority).publicKey));

test("the first certificate is for every name, and stays until two thirds of its life are over", () => {
  const first = at(undefined, start);
  assert.equal(first.isNew, true);
  const shown = new X509Certificate(first.certificates.pair.cert);
  assert.ok(shown.checkHost("hooks.ops.svc") && shown.checkIP("127.0.0.1"));
  assert.equal(first.dueAt, start + (lifetime * 2) / 3);
  assert.deepEqual(at(first.certificates, first.dueAt - 1).certificates, first.certificates);
  const next = at(first.certificates, first.dueAt);
  assert.notEqual(next.certificates.pair.cert, first.certificates.pair.cert);
  assert.deepEqual(next.certificates.authorities, first.certificates.authorities);
});

test("through the years every certificate is trusted by the authorities published before it was shown", () => {
  let current = at(undefined, start);
  const authorities = new Set(current.certificates.authorities);
  for (let now = start; now < start + 60 * lifetime; now = current.dueAt) {
    const next = at(current.certificates, now);
    if (next.certificates.pair.cert !== current.certificates.pair.cert)
      assert.ok(isTrusted(next.certificates.pair, current.certificates.authorities), new Date(now).toISOString());
    assert.ok(new X509Certificate(next.certificates.pair.cert).validToDate.getTime() > now);
    assert.ok(isTrusted(next.certificates.pair, next.certificates.authorities));
    assert.ok(next.dueAt > now, "it is not due again at once");
    for (const authority of next.certificates.authorities) authorities.add(authority);
    current = next;
  }
  assert.ok(authorities.size >= 2, `${authorities.size} authorities`);
  assert.ok(current.certificates.authorities.length <= 2, "authorities that have expired are dropped");
});

test("other names, an expired certificate and spoiled contents lead to new ones", () => {
  const { certificates } = at(undefined, start);
  const other = at(undefined, start).certificates;
  assert.equal(at(certificates, start, ["other.ops.svc"]).isNew, true);
  assert.equal(at(certificates, start + lifetime).isNew, true);
  for (const spoiled of [
    { ...certificates, authorities: [] },
    { ...certificates, authorities: other.authorities },
    { ...certificates, authorityKey: other.authorityKey },
    { ...certificates, pair: { ...certificates.pair, key: other.pair.key } },
    { ...certificates, pair: { cert: "-----BEGIN CERTIFICATE-----\nAAAA", key: "" } },
  ]) {
    const renewed = at(spoiled, start);
    assert.equal(renewed.isNew, true);
    assert.equal(at(renewed.certificates, start).isNew, false);
  }
});
