import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Event, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "@trivium/kube";
import { turns } from "@trivium/testkit";
import { ClaimBinder } from "../src/volumes/claim-binder.ts";
import {
  ensureLocalClass,
  folderProvisioner,
  localClass,
  localProvisioner,
} from "../src/volumes/folder-provisioner.ts";
import { launchOf, type SetupStage, startSetupStage } from "./setup-stage.ts";

async function startClaims(t: TestContext, free = { bytes: 10 * 1024 ** 3 }) {
  const stage = await startSetupStage(t);
  const { client, clock, root } = stage;
  await ensureLocalClass(client);
  await ensureLocalClass(client);
  const storage = folderProvisioner({
    client,
    root: join(root, "claims"),
    node: "here",
    freeBytes: async () => free.bytes,
  });
  const onError = (what: string, error: unknown) => stage.failures.push(`${what}: ${error}`);
  const binder = new ClaimBinder({ client, clock, provisioner: localProvisioner, storage, onError });
  await binder.start();
  t.after(() => binder.stop());
  return { ...stage, binder };
}

const claim = (
  { client }: SetupStage,
  name: string,
  storage: string,
  spec: Partial<PersistentVolumeClaim["spec"]> = {},
) =>
  client.create(PersistentVolumeClaim, {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, namespace: "default" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } }, ...spec },
  });

const observed = ({ client }: SetupStage, name: string) =>
  client.get(PersistentVolumeClaim, { namespace: "default", name });

async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 5_000; turn += 1) {
    if (await isSo()) return;
    await turns(2);
  }
  assert.fail("it did not come");
}

const isBound = (stage: SetupStage, name: string) => async () =>
  (await observed(stage, name)).status?.phase === "Bound";

test("a claim without a class gets a folder of this node, and a pod writes to it", async (t) => {
  const stage = await startClaims(t);
  await claim(stage, "cache", "1Gi");
  await eventually(isBound(stage, "cache"));
  const { spec } = await observed(stage, "cache");
  assert.equal(spec?.storageClassName, localClass);
  const volume = await stage.client.get(PersistentVolume, { name: spec?.volumeName ?? "" });
  const path = volume.spec?.hostPath?.path ?? "";
  assert.ok(path.startsWith(join(stage.root, "claims", "pvc-")) && path.endsWith("_default_cache"), path);
  const terms = volume.spec?.nodeAffinity?.required?.nodeSelectorTerms;
  assert.deepEqual(terms, [
    { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: ["here"] }] },
  ]);
  const setups = await stage.setups();
  const pod = await stage.pod(
    "user",
    { command: ["touch", "/models/x"], volumeMounts: [{ name: "d", mountPath: "/models" }] },
    { volumes: [{ name: "d", persistentVolumeClaim: { claimName: "cache" } }] },
  );
  assert.deepEqual((await launchOf(setups, pod)).argv.slice(1), [join(path, "x")]);
  await (await setups.open(pod)).close();
  assert.equal(existsSync(path), true, "the claim outlives its pod");
  assert.deepEqual(stage.failures, []);
});

test("a claim that does not fit waits with one warning, and is bound when there is room", async (t) => {
  const free = { bytes: 1024 ** 3 };
  const stage = await startClaims(t, free);
  await claim(stage, "huge", "5Gi");
  const warnings = async () =>
    (await stage.client.list(Event, { namespace: "default" })).items.filter(
      ({ reason }) => reason === "ProvisioningFailed",
    );
  await eventually(async () => (await warnings()).length === 1);
  await eventually(async () => {
    await stage.clock.advance(2_000);
    return ((await warnings())[0]?.count ?? 0) > 1;
  });
  const [warning, ...more] = await warnings();
  assert.deepEqual(more, []);
  assert.equal(
    warning?.message,
    'failed to provision volume with StorageClass "trivium-local": it requests 5Gi, but the disk of node here has less free space; request less, or free some',
  );
  assert.deepEqual(
    [warning?.type, warning?.involvedObject.kind, warning?.involvedObject.name],
    ["Warning", "PersistentVolumeClaim", "huge"],
  );
  assert.equal((await observed(stage, "huge")).status?.phase, "Pending");
  free.bytes = 6 * 1024 ** 3;
  await eventually(async () => {
    await stage.clock.advance(60_000);
    return isBound(stage, "huge")();
  });
  assert.deepEqual(stage.failures, []);
});

test("room that another claim gives up is taken at once", async (t) => {
  const free = { bytes: 4 * 1024 ** 3 };
  const stage = await startClaims(t, free);
  await claim(stage, "first", "3Gi");
  await eventually(isBound(stage, "first"));
  free.bytes = 1024 ** 3;
  await claim(stage, "second", "2Gi");
  await eventually(async () => (await stage.client.list(Event, { namespace: "default" })).items.length > 0);
  free.bytes = 4 * 1024 ** 3;
  await stage.client.delete(PersistentVolumeClaim, { namespace: "default", name: "first" });
  await eventually(isBound(stage, "second"));
});

test("a class that waits binds with its first pod, on this node only", async (t) => {
  const stage = await startClaims(t);
  await stage.client.create(StorageClass, {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "later" },
    provisioner: localProvisioner,
    volumeBindingMode: "WaitForFirstConsumer",
  });
  await claim(stage, "later", "1Gi", { storageClassName: "later" });
  await turns(60);
  assert.equal((await observed(stage, "later")).status?.phase, "Pending");
  const pod = await stage.pod("p", {}, { volumes: [{ name: "d", persistentVolumeClaim: { claimName: "later" } }] });
  await stage.binder.whenBound(pod, "here", new AbortController().signal);
  assert.equal(await isBound(stage, "later")(), true);
});

test("folders go with their claims, but not under a running pod, and not where they are to be kept", async (t) => {
  const stage = await startClaims(t);
  const make = async (name: string) => {
    await claim(stage, name, "1Gi");
    await eventually(isBound(stage, name));
    const volumeName = (await observed(stage, name)).spec?.volumeName ?? "";
    const path = (await stage.client.get(PersistentVolume, { name: volumeName })).spec?.hostPath?.path ?? "";
    await writeFile(join(path, "weights"), "x");
    return { volumeName, path };
  };
  const [plain, used, kept] = [await make("plain"), await make("used"), await make("kept")];
  const retain = { spec: { persistentVolumeReclaimPolicy: "Retain" } };
  await stage.client.patch(PersistentVolume, { name: kept.volumeName }, { type: "merge", body: retain });
  await stage.pod("p", {}, { volumes: [{ name: "d", persistentVolumeClaim: { claimName: "used" } }] });
  for (const name of ["plain", "used", "kept"]) {
    await stage.client.delete(PersistentVolumeClaim, { namespace: "default", name });
  }
  await eventually(async () => !existsSync(plain.path));
  await eventually(
    async () => (await stage.client.get(PersistentVolume, { name: kept.volumeName })).status?.phase === "Released",
  );
  assert.deepEqual([existsSync(used.path), existsSync(kept.path)], [true, true]);
  await stage.client.delete(Pod, { namespace: "default", name: "p" }, { gracePeriodSeconds: 0 });
  await eventually(async () => {
    await stage.clock.advance(60_000);
    return !existsSync(used.path);
  });
  assert.equal(existsSync(kept.path), true);
  assert.deepEqual(stage.failures, []);
});

test("a volume that somebody pointed elsewhere does not take that with it", async (t) => {
  const stage = await startClaims(t);
  const precious = join(stage.root, "precious");
  const storage = folderProvisioner({ client: stage.client, root: join(stage.root, "claims"), node: "here" });
  const volume = (path: string) =>
    ({
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "x" },
      spec: { hostPath: { path } },
    }) as PersistentVolume;
  await writeFile(precious, "x");
  await mkdir(join(stage.root, "claims"), { recursive: true });
  await mkdir(join(stage.root, "claims/pvc-x"));
  await symlink(stage.root, join(stage.root, "claims/pvc-x/link"));
  for (const path of [
    join(stage.root, "claims/pvc-x/link/precious"),
    precious,
    join(stage.root, "claims"),
    join(stage.root, "claims/../precious"),
    stage.root,
    "/",
  ]) {
    await storage.remove(volume(path));
  }
  assert.equal(existsSync(precious), true);
  assert.equal(existsSync(join(stage.root, "claims/pvc-x")), true);
});

test("a volume that leads out of the claims of this node by a link is not mounted", async (t) => {
  const stage = await startClaims(t);
  const setups = await stage.setups();
  await mkdir(join(stage.root, "claims/pvc-x"), { recursive: true });
  await symlink("/etc", join(stage.root, "claims/pvc-x/link"));
  await stage.client.create(PersistentVolume, {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "sly" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      hostPath: { path: join(stage.root, "claims/pvc-x/link") },
    },
  } as PersistentVolume);
  await claim(stage, "sly", "1Gi", { volumeName: "sly", storageClassName: "" });
  const body = { status: { phase: "Bound" } };
  const ref = { namespace: "default", name: "sly" };
  await stage.client.patch(PersistentVolumeClaim, ref, { type: "merge", body }, { subresource: "status" });
  const pod = await stage.pod("p", {}, { volumes: [{ name: "d", persistentVolumeClaim: { claimName: "sly" } }] });
  await assert.rejects(setups.open(pod), /is outside of the folder for claims of this node/);
});
