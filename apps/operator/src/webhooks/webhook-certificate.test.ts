import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { issueCertificate } from "@trivium/apiserver";
import { Refusal } from "@trivium/std";
import { loadCertificate, watchCertificate } from "./webhook-certificate.ts";

const home = mkdtempSync(join(tmpdir(), "trivium-certificate-"));
after(() => rmSync(home, { recursive: true, force: true }));

const now = new Date("2026-11-01T00:00:00Z");
const names = ["hooks.ops.svc", "127.0.0.1"];

test("one is made where there is none, and kept", async () => {
  const folder = join(home, "made");
  const { pair, authority } = await loadCertificate(folder, names, now);
  const shown = new X509Certificate(pair.cert);
  assert.ok(shown.verify(new X509Certificate(authority).publicKey));
  assert.ok(shown.checkHost("hooks.ops.svc") && shown.checkIP("127.0.0.1"));
  assert.deepEqual(readdirSync(folder).sort(), [".made-by-trivium", "ca.crt", "tls.crt", "tls.key"]);
  assert.equal(statSync(join(folder, "tls.key")).mode & 0o777, 0o600);
  assert.deepEqual(await loadCertificate(folder, names, now), { pair, authority });
  const renamed = await loadCertificate(folder, ["other.ops.svc"], now);
  assert.ok(new X509Certificate(renamed.pair.cert).checkHost("other.ops.svc"));
  const late = new Date(now.getTime() + 3649 * 24 * 3600 * 1000);
  assert.notEqual((await loadCertificate(folder, ["other.ops.svc"], late)).pair.cert, renamed.pair.cert);
});

test("without a folder it lasts as long as the process", async () => {
  const [one, other] = [await loadCertificate(undefined, names, now), await loadCertificate(undefined, names, now)];
  assert.notEqual(one.pair.cert, other.pair.cert);
});

test("what somebody else put there is taken as it is, however old; without an authority it is its own", async () => {
  const folder = mkdtempSync(join(home, "given-"));
  const own = issueCertificate({ commonName: "x", use: { is: "server", names }, days: 1, now });
  writeFileSync(join(folder, "tls.crt"), own.cert);
  writeFileSync(join(folder, "tls.key"), own.key);
  const late = new Date(now.getTime() + 365 * 24 * 3600 * 1000);
  assert.deepEqual(await loadCertificate(folder, names, late), { pair: own, authority: own.cert });
});

test("a certificate of another key, half of one, or a folder that cannot be written are refused in words", async () => {
  const folder = mkdtempSync(join(home, "bad-"));
  const [one, other] = [1, 2].map(() =>
    issueCertificate({ commonName: "x", use: { is: "server", names }, days: 1, now }),
  );
  writeFileSync(join(folder, "tls.crt"), one?.cert ?? "");
  const isRefused = (complaint: RegExp) => (error: unknown) =>
    error instanceof Refusal && complaint.test(error.message);
  await assert.rejects(
    loadCertificate(folder, names, now),
    isRefused(/do not match; replace them, or change --webhook-cert-dir/),
  );
  writeFileSync(join(folder, "tls.key"), other?.key ?? "");
  await assert.rejects(loadCertificate(folder, names, now), isRefused(/do not match/));
  writeFileSync(join(home, "file"), "");
  await assert.rejects(loadCertificate(join(home, "file", "x"), names, now), isRefused(/cannot read|not writable/));
});

test("a change of the files is told when they fit together again", async () => {
  const folder = join(home, "watched");
  const before = await loadCertificate(folder, names, now);
  const next = await loadCertificate(undefined, names, now);
  const reported = new Promise<string>((resolve) => {
    const watcher = watchCertificate(folder, ({ pair }) => {
      if (pair.cert === before.pair.cert) return;
      watcher.close();
      resolve(pair.cert);
    });
  });
  chmodSync(join(folder, "tls.key"), 0o600);
  writeFileSync(join(folder, "tls.key"), next.pair.key);
  writeFileSync(join(folder, "tls.crt"), next.pair.cert);
  assert.equal(await reported, next.pair.cert);
});
