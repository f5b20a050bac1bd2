import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findAccess, inClusterAccess } from "./in-cluster.ts";

test("a pod reaches its cluster with its service account, over IPv6 too", async () => {
  const folder = await mkdtemp(join(tmpdir(), "trivium-account-"));
  try {
    await writeFile(join(folder, "ca.crt"), "PEM");
    await writeFile(join(folder, "namespace"), "team\n");
    const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
    assert.deepEqual(await inClusterAccess(env, folder), {
      server: "https://[fd00::1]:443",
      ca: "PEM",
      tokenFile: join(folder, "token"),
      namespace: "team",
      context: "in-cluster",
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("nowhere to go is said in words", async () => {
  await assert.rejects(inClusterAccess({}), /not running in a pod/);
  await assert.rejects(
    findAccess({ HOME: "/nonexistent" }),
    /no cluster is configured: .* does not exist .*set KUBECONFIG/,
  );
});
