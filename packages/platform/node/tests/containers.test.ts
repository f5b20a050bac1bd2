import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { Event, Pod } from "@trivium/kube";
import { type ContainerEngine, findContainerEngine } from "../src/index.ts";
import { isReady, reached, startNode, urlOf } from "./rooms-node.ts";

const folder = mkdtempSync(join(tmpdir(), "trivium-containers-"));
const image = "localhost/trivium-test-box:1";
const engine = await findEngine();
const skip = typeof engine === "string" ? `no container engine runs here: ${engine}` : false;

/** An engine that really runs something: many machines have one that may not. */
async function findEngine(): Promise<ContainerEngine | string> {
  const found = await findContainerEngine(process.env.PATH ?? "");
  if (typeof found === "string") return found;
  const busybox = spawnSync("sh", ["-c", "command -v busybox"], { encoding: "utf8" }).stdout.trim();
  if (busybox === "") return "there is no busybox to make an image of";
  // Some machines let nobody raise their limits, which engines do unless told otherwise.
  const configuration = join(folder, "containers.conf");
  writeFileSync(configuration, '[containers]\ndefault_ulimits = ["nofile=1024:4096", "nproc=1024:1024"]\n');
  process.env.CONTAINERS_CONF = configuration;
  const root = join(folder, "root", "bin");
  mkdirSync(root, { recursive: true });
  copyFileSync(busybox, join(root, "busybox"));
  for (const name of ["sh", "sleep", "cat", "httpd", "echo", "test", "true"]) symlinkSync("busybox", join(root, name));
  const made = spawnSync("sh", ["-c", `tar -C ${folder}/root -c . | ${found.path} import - ${image}`], {
    encoding: "utf8",
  });
  if (made.status !== 0) return made.stderr.trim();
  const tried = spawnSync(found.path, ["run", "--rm", image, "/bin/true"], { encoding: "utf8" });
  return tried.status === 0 ? found : tried.stderr.trim();
}

after(async () => {
  if (typeof engine !== "string") await engine.run(["image", "rm", "--force", image]).catch(() => undefined);
  rmSync(folder, { recursive: true, force: true });
});

describe("pods in containers", { skip }, async () => {
  const containers = engine as ContainerEngine;
  const left = async () =>
    (await containers.run(["ps", "--all", "--format", "{{.Names}}"]))
      .split("\n")
      .filter((name) => name.startsWith("trivium-"));

  /** Another node may run on this machine. */
  const before = skip === false ? await left() : [];

  test("a web server of an image answers at the pod's address, with its volume, Secret and probes", async (t) => {
    const stage = await startNode(t, { containers });
    await stage.secret("words", { greeting: "hello" });
    await stage.configMap("page", { "index.html": "from a volume\n" });
    await stage.pod(
      "web",
      {
        image,
        command: ["sh", "-c"],
        args: ['echo "$GREETING" >&2; exec httpd -f -p 8080 -h /page'],
        env: [{ name: "GREETING", valueFrom: { secretKeyRef: { name: "words", key: "greeting" } } }],
        ports: [{ containerPort: 8080 }],
        volumeMounts: [{ name: "page", mountPath: "/page", readOnly: true }],
        readinessProbe: { httpGet: { port: 8080, path: "/index.html" }, periodSeconds: 1 },
        livenessProbe: { exec: { command: ["test", "-f", "/page/index.html"] }, periodSeconds: 1 },
      },
      { volumes: [{ name: "page", configMap: { name: "page" } }], terminationGracePeriodSeconds: 1 },
    );
    await reached(stage, (pods) => pods.length === 1 && pods.every(isReady));
    const [pod] = (await stage.client.list(Pod, { namespace: "default" })).items;
    assert.ok(pod);
    assert.equal(await (await fetch(`${urlOf(pod, 8080)}/index.html`)).text(), "from a volume\n");
    assert.equal(pod.status?.containerStatuses?.[0]?.restartCount, 0);
    const line = spawnSync("ps", ["-eo", "args"], { encoding: "utf8" }).stdout;
    assert.ok(!line.includes("GREETING=hello"), "a secret is on a command line");
  });

  test("exit codes and termination messages are as in a cluster", async (t) => {
    const stage = await startNode(t, { containers });
    await stage.pod(
      "ends",
      { image, command: ["sh", "-c", "echo the last word > /dev/termination-log; exit 7"] },
      { restartPolicy: "Never" },
    );
    await reached(stage, ([pod]) => pod?.status?.phase === "Failed");
    const [pod] = (await stage.client.list(Pod, { namespace: "default" })).items;
    const end = pod?.status?.containerStatuses?.[0]?.state?.terminated;
    assert.deepEqual([end?.exitCode, end?.message?.trim()], [7, "the last word"]);
  });

  test("an image that cannot be had is said in known words", async (t) => {
    const stage = await startNode(t, { containers });
    await stage.pod("lost", { image: "localhost/trivium-no-such-image:1", imagePullPolicy: "Never" });
    await reached(stage, ([pod]) => pod?.status?.containerStatuses?.[0]?.state?.waiting?.reason === "ImagePullBackOff");
    const events = (await stage.client.list(Event, { namespace: "default" })).items.map(({ message }) => message ?? "");
    assert.ok(events.some((message) => message.includes("localhost/trivium-no-such-image:1")));
  });

  test("nothing is left of pods that are gone", async () => {
    const others = new Set(before);
    const ours = async () => (await left()).filter((name) => !others.has(name));
    // The engine takes its time; the agent does not wait for it.
    for (let i = 0; i < 100 && (await ours()).length > 0; i += 1)
      await new Promise((resolve) => setTimeout(resolve, 100));
    assert.deepEqual(await ours(), []);
  });
});
