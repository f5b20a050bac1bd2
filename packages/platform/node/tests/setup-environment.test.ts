import assert from "node:assert/strict";
import { test } from "node:test";
import { type EnvVar, Secret, Service } from "@trivium/kube";
import { launchOf, outputOf, prepareMain, startSetupStage } from "./setup-stage.ts";

test("a process gets what its spec gives, and nothing of the agent's", async (t) => {
  const stage = await startSetupStage(t);
  const setups = await stage.setups();
  await stage.secret("keys", { token: "s3cret/models" });
  await stage.configMap("conf", { MODE: "fast" });
  const pod = await stage.pod(
    "web",
    {
      command: ["sh", "-c", "env | sort; echo args $0 $1", "$(MODE)"],
      args: ["$$(MODE) $(TOKEN)"],
      env: [
        { name: "MODE", valueFrom: { configMapKeyRef: { name: "conf", key: "MODE" } } },
        { name: "TOKEN", valueFrom: { secretKeyRef: { name: "keys", key: "token" } } },
        { name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
        { name: "WHERE", value: "/models/$(MODE)" },
        { name: "SECRET_PATH", value: "$(TOKEN):/models" },
      ],
      volumeMounts: [{ name: "models", mountPath: "/models" }],
    },
    { enableServiceLinks: false, hostname: "webby", volumes: [{ name: "models", emptyDir: {} }] },
  );
  process.env.ROOMS_TEST_LEAK = "leak";
  t.after(() => delete process.env.ROOMS_TEST_LEAK);
  const launch = await launchOf(setups, pod);
  const folder = `${stage.root}/rooms/${pod.metadata.uid}`;
  const { PATH, ...env } = launch.env;
  assert.match(PATH ?? "", /\/usr\/bin/);
  assert.deepEqual(Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("KUBERNETES_"))), {
    HOME: `${folder}/containers/main/home`,
    TMPDIR: `${folder}/containers/main/tmp`,
    HOSTNAME: "webby",
    MODE: "fast",
    TOKEN: "s3cret/models",
    IP: launch.address,
    WHERE: `${folder}/volumes/models/fast`,
    SECRET_PATH: "s3cret/models:/models",
  });
  const output = await outputOf(launch);
  assert.match(output, /^args fast \$\(MODE\) s3cret\/models$/m);
  assert.doesNotMatch(output, /leak/);
});

test("services of the namespace are told unless the pod wants none of them; the API always", async (t) => {
  const stage = await startSetupStage(t);
  const setups = await stage.setups({ apiServer: { host: "127.0.0.1", port: 7443 } });
  const metadata = { name: "my-db", namespace: "default" };
  const db = await stage.client.create(Service, {
    apiVersion: "v1",
    kind: "Service",
    metadata,
    spec: { ports: [{ port: 5432 }] },
  });
  const named = async (name: string, enableServiceLinks: boolean) => {
    const { env } = await launchOf(setups, await stage.pod(name, { command: ["true"] }, { enableServiceLinks }));
    return [env.MY_DB_SERVICE_HOST, env.KUBERNETES_SERVICE_HOST, env.KUBERNETES_SERVICE_PORT];
  };
  assert.deepEqual(await named("with", true), [db.spec?.clusterIP, "127.0.0.1", "7443"]);
  assert.deepEqual(await named("without", false), [undefined, "127.0.0.1", "7443"]);
});

test("a missing Secret is named, and its coming wakes whoever waits", async (t) => {
  const stage = await startSetupStage(t);
  const setups = await stage.setups();
  const env = [{ name: "K", valueFrom: { secretKeyRef: { name: "late", key: "k" } } }];
  const pod = await stage.pod("waits", { command: ["true"], env });
  const setup = await setups.open(pod);
  const first = await prepareMain(setups, pod, setup);
  assert.equal(first.is, "refused");
  if (first.is !== "refused") return;
  const { until, ...words } = first;
  const waiting = { reason: "CreateContainerConfigError", message: 'secret "late" not found' };
  assert.deepEqual(words, { is: "refused", ...waiting, meanwhile: waiting });
  await stage.secret("late", { other: "x" });
  await until;
  const second = await prepareMain(setups, pod, setup);
  assert.equal(second.is === "refused" && second.message, "couldn't find key k in Secret default/late");
  const body = { stringData: { k: "v" } };
  await stage.client.patch(Secret, { namespace: "default", name: "late" }, { type: "merge", body });
  await (second.is === "refused" ? second.until : undefined);
  const third = await prepareMain(setups, pod, setup);
  assert.equal(third.is === "ready" && third.launch.env.K, "v");
  assert.deepEqual(stage.failures, []);
});

test("an image that cannot run here is refused in words that kubectl users know", async (t) => {
  const stage = await startSetupStage(t);
  const setups = await stage.setups({ searchPath: "/nowhere" });
  const refusalOf = async (name: string, image: string) => {
    const pod = await stage.pod(name, { image });
    const found = await prepareMain(setups, pod, await setups.open(pod));
    return found.is === "refused" ? [found.reason, found.meanwhile.reason, found.message, found.advice] : found.is;
  };
  const [reason, later, message, advice] = await refusalOf("a", "acme/erp:1");
  const never = ["ErrImageNeverPull", "ErrImageNeverPull"];
  assert.deepEqual([reason, later], never);
  assert.match(String(message), /"acme\/erp:1"/);
  assert.match(String(advice), /trivium\.yaml.*podman or docker/);
  assert.deepEqual((await refusalOf("b", "redis")).slice(0, 2), never);
  assert.deepEqual((await refusalOf("c", "No Image")).slice(0, 2), ["InvalidImageName", "InvalidImageName"]);
});

test("programs on a search path of the user's own find their libraries; a container's variable wins", async (t) => {
  const stage = await startSetupStage(t);
  const libraryOf = async (setups: Awaited<ReturnType<typeof stage.setups>>, name: string, env: EnvVar[] = []) =>
    (await launchOf(setups, await stage.pod(name, { command: ["true"], env }))).env.LD_LIBRARY_PATH;
  const setups = await stage.setups({ libraryPath: "/opt/own/lib" });
  assert.equal(await libraryOf(setups, "plain"), "/opt/own/lib");
  assert.equal(await libraryOf(setups, "says", [{ name: "LD_LIBRARY_PATH", value: "/other" }]), "/other");
  await setups.stop();
  assert.equal(await libraryOf(await stage.setups(), "without"), undefined);
});

test("a null byte in a variable is refused, not passed on", async (t) => {
  const stage = await startSetupStage(t);
  const setups = await stage.setups();
  await stage.secret("bad", { k: "a\0b" });
  const pod = await stage.pod("nul", { command: ["true"], envFrom: [{ secretRef: { name: "bad" } }] });
  const found = await prepareMain(setups, pod, await setups.open(pod));
  assert.equal(found.is === "refused" && found.message, "environment variable k contains a null byte");
});

test("a container that asks for accelerators gets its own, also after a restart of the agent", async (t) => {
  const stage = await startSetupStage(t);
  const accelerators = [{ vendor: "nvidia", product: "X", count: 2, memoryGiB: 80 } as const];
  const node = { name: "here", address: "127.0.0.1", accelerators };
  const setups = await stage.setups({ node });
  const container = { command: ["true"], resources: { limits: { "nvidia.com/gpu": "1" } } };
  const pods = [await stage.pod("a", container), await stage.pod("b", container)];
  const cards = async (from: typeof setups, pod = pods[0]) =>
    pod && (await launchOf(from, pod)).env.CUDA_VISIBLE_DEVICES;
  assert.deepEqual([await cards(setups), await cards(setups, pods[1])], ["0", "1"]);
  const third = await stage.pod("c", container);
  const refused = await prepareMain(setups, third, await setups.open(third));
  assert.match(refused.is === "refused" ? refused.message : "", /fewer free accelerators/);
  await setups.stop();
  const again = await stage.setups({ node });
  assert.deepEqual([await cards(again, pods[1]), await cards(again)], ["1", "0"]);
});

test("a container that must not run as root waits where it would, and says what to do", async (t) => {
  const stage = await startSetupStage(t);
  const setups = await stage.setups({ user: { uid: 0, gid: 0 } });
  const securityContext = { runAsNonRoot: true, readOnlyRootFilesystem: true };
  const refused = await stage.pod("refused", { command: ["true"], securityContext });
  const answer = await prepareMain(setups, refused, await setups.open(refused));
  assert.equal(answer.is, "refused");
  if (answer.is !== "refused") return;
  assert.equal(answer.meanwhile.reason, "CreateContainerConfigError");
  assert.match(
    answer.message,
    /^container has runAsNonRoot and would run as root, .*container: main\); start trivium up/,
  );

  const asPerson = await stage.setups({ user: { uid: 1000, gid: 1000 } });
  const honoured = await stage.pod("honoured", { command: ["true"], securityContext });
  const ready = await prepareMain(asPerson, honoured, await asPerson.open(honoured));
  assert.equal(ready.is, "ready");
  assert.match((ready.is === "ready" && ready.unenforced) || "", /Not enforced: readOnlyRootFilesystem; start/);
});
