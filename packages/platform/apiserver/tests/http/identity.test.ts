import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { parse } from "yaml";
import { loadOrCreateIdentity, writeKubeconfig } from "../../src/http/index.ts";

let directory = "";
function useDirectory(): void {
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "trivium-identity-"));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));
}

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
const year = 365 * 24 * 3600 * 1000;

describe("the identity of a server", () => {
  useDirectory();
  it("is made once and found again", async () => {
    const made = await loadOrCreateIdentity(directory);
    assert.deepEqual(await loadOrCreateIdentity(directory), made);
    assert.ok(made.token.length >= 40);
  });

  it("is readable by nobody else, even after somebody loosened it", async () => {
    await loadOrCreateIdentity(directory);
    await chmod(join(directory, "ca.key"), 0o644);
    await loadOrCreateIdentity(directory);
    for (const file of await readdir(directory)) assert.equal(await modeOf(join(directory, file)), "600", file);
  });

  it("has certificates that the authority signed, for the names clients use", async () => {
    const { authority, server, admin } = await loadOrCreateIdentity(directory, {
      names: ["box.lan", "192.168.7.9", "fe80::1:2"],
    });
    const root = new X509Certificate(authority);
    assert.ok(root.ca && root.verify(root.publicKey));
    for (const { cert } of [server, admin]) {
      const leaf = new X509Certificate(cert);
      assert.ok(leaf.verify(root.publicKey) && leaf.checkIssued(root) && !leaf.ca);
    }
    const leaf = new X509Certificate(server.cert);
    for (const name of ["localhost", "kubernetes.default.svc", "box.lan"]) assert.ok(leaf.checkHost(name), name);
    for (const address of ["127.0.0.1", "::1", "192.168.7.9", "fe80::1:2"]) assert.ok(leaf.checkIP(address), address);
    assert.equal(leaf.checkHost("example.com"), undefined);
    assert.equal(new X509Certificate(admin.cert).subject, "O=system:masters\nCN=trivium-admin");
  });

  it("renews certificates before they end and keeps the authority, so that kubeconfigs go on working", async () => {
    const first = await loadOrCreateIdentity(directory);
    const soon = await loadOrCreateIdentity(directory, { now: new Date(Date.now() + year - 40 * 24 * 3600 * 1000) });
    assert.deepEqual(soon, first);
    const later = await loadOrCreateIdentity(directory, { now: new Date(Date.now() + year - 20 * 24 * 3600 * 1000) });
    assert.equal(later.authority, first.authority);
    assert.equal(later.token, first.token);
    assert.notEqual(later.server.cert, first.server.cert);
    assert.notEqual(later.admin.cert, first.admin.cert);
  });

  it("makes everything anew under a new authority when the old one ends", async () => {
    const first = await loadOrCreateIdentity(directory);
    const later = await loadOrCreateIdentity(directory, { now: new Date(Date.now() + 10 * year) });
    assert.notEqual(later.authority, first.authority);
    assert.ok(new X509Certificate(later.server.cert).verify(new X509Certificate(later.authority).publicKey));
    assert.ok(new X509Certificate(later.admin.cert).verify(new X509Certificate(later.authority).publicKey));
  });

  it("issues another server certificate for another name, and no other client certificate", async () => {
    const first = await loadOrCreateIdentity(directory);
    const second = await loadOrCreateIdentity(directory, { names: ["box.lan"] });
    assert.notEqual(second.server.cert, first.server.cert);
    assert.deepEqual(second.admin, first.admin);
    assert.equal(second.authority, first.authority);
  });

  it("replaces a key or certificate that is cut short or belongs to another", async () => {
    const first = await loadOrCreateIdentity(directory);
    await writeFile(join(directory, "server.key"), first.server.key.slice(0, 60));
    const second = await loadOrCreateIdentity(directory);
    assert.notEqual(second.server.key, first.server.key);
    await writeFile(join(directory, "admin.key"), first.server.key);
    const third = await loadOrCreateIdentity(directory);
    assert.notEqual(third.admin.cert, first.admin.cert);
    assert.equal(third.authority, first.authority);
    assert.equal(third.accountKey, first.accountKey);
    for (const broken of [first.accountKey.slice(0, 60), "", "nonsense"]) {
      await writeFile(join(directory, "service-account.key"), broken);
      const mended = await loadOrCreateIdentity(directory);
      assert.match(mended.accountKey, /^-----BEGIN PRIVATE KEY-----/);
      assert.notEqual(mended.accountKey, first.accountKey);
    }
  });
});

describe("a kubeconfig", () => {
  useDirectory();
  it("holds everything a client needs and is its owner's alone", async () => {
    const identity = await loadOrCreateIdentity(directory);
    const path = join(directory, "deeper", "kubeconfig");
    await writeKubeconfig(path, {
      server: "https://127.0.0.1:6443",
      authority: identity.authority,
      credential: { is: "certificate", pair: identity.admin },
    });
    assert.equal(await modeOf(path), "600");
    const config = parse(await readFile(path, "utf8"));
    assert.equal(config["current-context"], "trivium");
    assert.equal(config.clusters[0].cluster.server, "https://127.0.0.1:6443");
    assert.equal(
      Buffer.from(config.clusters[0].cluster["certificate-authority-data"], "base64").toString(),
      identity.authority,
    );
    assert.equal(Buffer.from(config.users[0].user["client-key-data"], "base64").toString(), identity.admin.key);
    assert.deepEqual(await readdir(join(directory, "deeper")), ["kubeconfig"]);
  });

  it("replaces an older one whole, with a token when asked", async () => {
    const path = join(directory, "kubeconfig");
    await writeFile(path, "x".repeat(100_000), { mode: 0o644 });
    await writeKubeconfig(path, { server: "https://[::1]:1", authority: "A", credential: { is: "token", token: "t" } });
    const config = parse(await readFile(path, "utf8"));
    assert.deepEqual(config.users[0].user, { token: "t" });
    assert.equal(await modeOf(path), "600");
  });

  it("stays as a person changed it while it leads to the same server, and is written anew when it does not", async () => {
    const path = join(directory, "kubeconfig");
    const content = { authority: "A", credential: { is: "token", token: "t" } } as const;
    await writeKubeconfig(path, { ...content, server: "https://127.0.0.1:1" });
    const changed = (await readFile(path, "utf8")).replace("namespace: default", "namespace: mine");
    await writeFile(path, changed);
    await writeKubeconfig(path, { ...content, server: "https://127.0.0.1:1" });
    assert.equal(await readFile(path, "utf8"), changed);
    await writeKubeconfig(path, { ...content, server: "https://127.0.0.1:2" });
    assert.match(await readFile(path, "utf8"), /127\.0\.0\.1:2[\s\S]*namespace: default/);
  });
});
