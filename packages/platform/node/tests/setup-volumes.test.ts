import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { type api, ConfigMap, Pod } from "@trivium/kube";
import { turns } from "@trivium/testkit";
import { launchOf, outputOf, prepareMain, type SetupStage, startSetupStage } from "./setup-stage.ts";

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
const volumeOf = (stage: SetupStage, pod: Pod, volume: string) =>
  join(stage.root, "rooms", pod.metadata.uid ?? "", "volumes", volume);

/** Lets watches and file writes come through; both need turns of the event loop and no time. */
async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 5_000; turn += 1) {
    if (await isSo()) return;
    await turns(2);
  }
  assert.fail("it did not come");
}

test("every kind of volume is found by the process under its mount path", async (t) => {
  const stage = await startSetupStage(t);
  const shared = join(stage.root, "shared");
  await mkdir(shared);
  await writeFile(join(shared, "host.txt"), "from the host");
  const setups = await stage.setups({ hostRoots: [{ path: "/mnt/data", realPath: shared }] });
  await stage.configMap("conf", { "app.yaml": "color: red", other: "x" });
  await stage.secret("keys", { password: "s3cret" });
  const cpu = { containerName: "main", resource: "limits.cpu" };
  const volumes: api.Volume[] = [
    { name: "empty", emptyDir: { sizeLimit: "1Gi" } },
    { name: "memory", emptyDir: { medium: "Memory" } },
    { name: "conf", configMap: { name: "conf", items: [{ key: "app.yaml", path: "sub/app.yaml" }] } },
    { name: "keys", secret: { secretName: "keys", defaultMode: 0o440 } },
    { name: "none", secret: { secretName: "gone", optional: true } },
    { name: "down", downwardAPI: { items: [{ path: "name", fieldRef: { fieldPath: "metadata.name" } }] } },
    { name: "host", hostPath: { path: "/mnt/data", type: "Directory" } },
    {
      name: "all",
      projected: {
        sources: [
          { configMap: { name: "conf", items: [{ key: "other", path: "o" }] } },
          { secret: { name: "keys" } },
          { downwardAPI: { items: [{ path: "cpu", resourceFieldRef: cpu }] } },
        ],
      },
    },
  ];
  const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/v/${name}` }));
  const files = [
    "conf/sub/app.yaml",
    "keys/password",
    "down/name",
    "host/host.txt",
    "all/o",
    "all/password",
    "all/cpu",
  ];
  const script = [
    ...files.map((file) => `cat /v/${file}; echo`),
    "ls /v/none; ls /v/conf",
    "echo in > /v/empty/x; echo mem > /v/memory/y; echo bye > /dev/termination-log",
  ].join("; ");
  const pod = await stage.pod("all", { command: ["sh", "-c", script], volumeMounts }, { volumes });
  const launch = await launchOf(setups, pod);
  assert.deepEqual((await outputOf(launch)).trim().split("\n"), [
    "color: red",
    "s3cret",
    "all",
    "from the host",
    "x",
    "s3cret",
    "4",
    "sub",
  ]);
  assert.equal(await readFile(join(volumeOf(stage, pod, "empty"), "x"), "utf8"), "in\n");
  assert.equal(await readFile(join(volumeOf(stage, pod, "memory"), "y"), "utf8"), "mem\n");
  assert.equal(await readFile(launch.terminationMessagePath ?? "", "utf8"), "bye\n");
  // 0440 without what would be for others.
  assert.equal(await modeOf(join(volumeOf(stage, pod, "keys"), "password")), "400");
  assert.equal(await modeOf(join(volumeOf(stage, pod, "conf"), "sub/app.yaml")), "600");
  assert.equal(await modeOf(join(stage.root, "rooms", pod.metadata.uid ?? "")), "700");
  const inMemory = await readlink(volumeOf(stage, pod, "memory")).catch(() => undefined);
  await (await setups.open(pod)).close();
  assert.equal(existsSync(join(stage.root, "rooms", pod.metadata.uid ?? "")), false);
  if (inMemory !== undefined) assert.equal(existsSync(inMemory), false, "nothing is left in memory");
  assert.equal(await readFile(join(shared, "host.txt"), "utf8"), "from the host");
});

test("what cannot be mounted is said in a kubelet's words, and heals when it comes", async (t) => {
  const stage = await startSetupStage(t);
  const setups = await stage.setups({ hostRoots: [{ path: stage.root }] });
  const mount = async (name: string, volume: Omit<api.Volume, "name">) => {
    const pod = await stage.pod(name, { command: ["true"] }, { volumes: [{ name: "v", ...volume }] });
    return {
      pod,
      fault: await setups.open(pod).then(
        () => undefined,
        (error: Error & { reason?: string; until?: Promise<void> }) => error,
      ),
    };
  };
  const failed = 'MountVolume.SetUp failed for volume "v" : ';
  const late = await mount("late", { secret: { secretName: "late" } });
  assert.deepEqual([late.fault?.reason, late.fault?.message], ["FailedMount", `${failed}secret "late" not found`]);
  await stage.configMap("half", { a: "1" });
  for (const [name, volume, message] of [
    ["conf", { configMap: { name: "gone" } }, 'configmap "gone" not found'],
    [
      "key",
      { configMap: { name: "half", items: [{ key: "b", path: "b" }] } },
      "configmap references non-existent config key: b",
    ],
    ["claim", { persistentVolumeClaim: { claimName: "none" } }, 'persistentvolumeclaim "none" not found'],
    ["nfs", { nfs: { server: "s", path: "/p" } }, "volumes of type nfs are not supported on a local node"],
    [
      "file",
      { hostPath: { path: `${stage.root}/none`, type: "File" } },
      `hostPath type check failed: ${stage.root}/none is not a file`,
    ],
    [
      "outside",
      { hostPath: { path: "/etc" } },
      `hostPath /etc is not in an allowed folder of this node (allowed: ${stage.root})`,
    ],
    [
      "beside",
      { hostPath: { path: `${stage.root}2` } },
      `hostPath ${stage.root}2 is not in an allowed folder of this node (allowed: ${stage.root})`,
    ],
  ] as const) {
    const { fault } = await mount(name, volume as Omit<api.Volume, "name">);
    assert.equal(fault?.message, failed + message, name);
  }
  await stage.secret("late", { k: "v" });
  await late.fault?.until;
  await setups.open(late.pod);
  assert.equal(await readFile(join(volumeOf(stage, late.pod, "v"), "k"), "utf8"), "v");
  assert.deepEqual(stage.failures, []);
});

test("a pod that goes before its volumes came leaves nothing behind", async (t) => {
  const stage = await startSetupStage(t);
  const setups = await stage.setups();
  const pod = await stage.pod(
    "never",
    { command: ["true"] },
    { volumes: [{ name: "v", secret: { secretName: "gone" } }] },
  );
  await assert.rejects(setups.open(pod));
  const folder = join(stage.root, "rooms", pod.metadata.uid ?? "");
  assert.equal(existsSync(folder), true);
  await stage.client.delete(Pod, { namespace: "default", name: "never" }, { gracePeriodSeconds: 0 });
  await eventually(async () => !existsSync(folder));
});

test("changes of Secrets and ConfigMaps reach the files all at once; a deletion takes nothing away", async (t) => {
  const stage = await startSetupStage(t);
  const setups = await stage.setups();
  await stage.configMap("conf", { a: "1", b: "1" });
  const volumes = [{ name: "v", configMap: { name: "conf" } }];
  const pod = await stage.pod("reads", { command: ["true"] }, { volumes });
  await setups.open(pod);
  const folder = volumeOf(stage, pod, "v");
  const read = (name: string) => readFile(join(folder, name), "utf8").catch(() => undefined);
  const before = await readlink(join(folder, "..data"));
  const ref = { namespace: "default", name: "conf" };
  await stage.client.patch(ConfigMap, ref, { type: "merge", body: { data: { a: "2", b: null, c: "2" } } });
  await eventually(async () => (await read("c")) === "2" && (await read("b")) === undefined);
  assert.equal(await read("a"), "2");
  assert.notEqual(await readlink(join(folder, "..data")), before, "a new folder took the place of the old one");
  await eventually(async () => !existsSync(join(folder, before)));
  await stage.client.delete(ConfigMap, ref);
  await turns(40);
  assert.equal(await read("a"), "2");
  await stage.configMap("conf", { a: "3" });
  await eventually(async () => (await read("a")) === "3");
  assert.deepEqual(stage.failures, []);
});

test("tokens of service accounts are bound to their pod, kept private, and renewed in time", async (t) => {
  const stage = await startSetupStage(t);
  const setups = await stage.setups();
  const token = { path: "token", expirationSeconds: 600, audience: "me" };
  const volumes = [{ name: "v", projected: { sources: [{ serviceAccountToken: token }] } }];
  const pod = await stage.pod("robot", { command: ["true"] }, { volumes });
  const setup = await setups.open(pod);
  const path = join(volumeOf(stage, pod, "v"), "token");
  const first = await readFile(path, "utf8");
  const claims = JSON.parse(Buffer.from(first.split(".")[1] ?? "", "base64url").toString());
  assert.deepEqual([claims.sub, claims.aud], ["system:serviceaccount:default:default", ["me"]]);
  assert.deepEqual(claims["kubernetes.io"].pod, { name: "robot", uid: pod.metadata.uid });
  assert.equal(await modeOf(path), "600");
  await stage.clock.advance(479_000);
  assert.equal(await readFile(path, "utf8"), first);
  await stage.clock.advance(2_000);
  await eventually(async () => (await readFile(path, "utf8")) !== first);
  await setup.close();
  assert.deepEqual(stage.failures, []);
});

test("parts of volumes are made, and none leads out of its volume", async (t) => {
  const stage = await startSetupStage(t);
  const setups = await stage.setups({ hostRoots: [{ path: join(stage.root, "disk") }] });
  await mkdir(join(stage.root, "disk", "real"), { recursive: true });
  await writeFile(join(stage.root, "secret.txt"), "outside");
  await symlink(stage.root, join(stage.root, "disk", "out"));
  await symlink("real", join(stage.root, "disk", "in"));
  await symlink("/nowhere/at/all", join(stage.root, "disk", "dangling"));
  const volumes: api.Volume[] = [{ name: "v", hostPath: { path: join(stage.root, "disk") } }];
  let count = 0;
  const prepare = async (mount: Partial<api.VolumeMount>) => {
    count += 1;
    const env = [{ name: "WHO", value: "me" }];
    const volumeMounts = [{ name: "v", mountPath: "/d", ...mount }];
    const pod = await stage.pod(`p-${count}`, { command: ["cat", "/d"], env, volumeMounts }, { volumes });
    // What the API itself refuses does not come this far; the check here must not depend on that.
    const found = await prepareMain(setups, pod, await setups.open(pod));
    return found.is === "ready" ? found.launch.argv[1] : found.message;
  };
  assert.equal(await prepare({ subPath: "a/b" }), join(stage.root, "disk/a/b"));
  assert.equal((await stat(join(stage.root, "disk/a/b"))).isDirectory(), true);
  assert.equal(await prepare({ subPathExpr: "u/$(WHO)" }), join(stage.root, "disk/u/me"));
  assert.equal(await prepare({ subPath: "in/x" }), join(stage.root, "disk/in/x"), "a link inside the volume is fine");
  for (const subPath of ["out", "out/secret.txt", "out/new", "dangling"]) {
    assert.match(String(await prepare({ subPath })), /points outside of its volume$/, subPath);
  }
  assert.equal(existsSync(join(stage.root, "new")), false);
  const escaping = await stage.pod(
    "root",
    { command: ["true"] },
    { volumes: [{ name: "v", hostPath: { path: join(stage.root, "disk/out") } }] },
  );
  await assert.rejects(setups.open(escaping), /is not in an allowed folder of this node/);
});

test("folders and files that a hostPath asks for are made under the allowed roots", async (t) => {
  const stage = await startSetupStage(t);
  const real = join(stage.root, "host");
  const setups = await stage.setups({ hostRoots: [{ path: "/mnt/data", realPath: real }] });
  const volumes: api.Volume[] = [
    { name: "d", hostPath: { path: "/mnt/data/models/x", type: "DirectoryOrCreate" } },
    { name: "f", hostPath: { path: "/mnt/data/f/g", type: "FileOrCreate" } },
  ];
  const volumeMounts = [
    { name: "d", mountPath: "/m" },
    { name: "f", mountPath: "/g" },
  ];
  const pod = await stage.pod("p", { command: ["ls", "/m", "/g"], volumeMounts }, { volumes });
  const { argv } = await launchOf(setups, pod);
  assert.deepEqual(argv.slice(1), [join(real, "models/x"), join(real, "f/g")]);
  assert.equal((await stat(join(real, "f/g"))).isFile(), true);
});

test("secrets are nowhere in a room but in the files of their volumes", async (t) => {
  const stage = await startSetupStage(t);
  const setups = await stage.setups();
  await stage.secret("keys", { password: "hunter2-hunter2" });
  const env = [{ name: "P", valueFrom: { secretKeyRef: { name: "keys", key: "password" } } }];
  const pod = await stage.pod("p", { command: ["sh", "-c", "grep -rl hunter[2]-hunter $0; true", stage.root], env });
  const launch = await launchOf(setups, pod);
  assert.equal(await outputOf(launch), "");
  assert.doesNotMatch(launch.argv.join(" "), /hunter2-hunter2/);
});

test("what a volume tells of its pod follows the pod", async (t) => {
  const stage = await startSetupStage(t);
  const setups = await stage.setups();
  const items = [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }];
  const pod = await stage.pod("p", { command: ["true"] }, { volumes: [{ name: "v", downwardAPI: { items } }] });
  await setups.open(pod);
  const file = join(volumeOf(stage, pod, "v"), "labels");
  assert.equal(await readFile(file, "utf8"), "");
  const body = { metadata: { labels: { tier: "gold" } } };
  await stage.client.patch(Pod, { namespace: "default", name: "p" }, { type: "merge", body });
  await eventually(async () => (await readFile(file, "utf8")) === 'tier="gold"');
});
