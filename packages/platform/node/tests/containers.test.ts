import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, type TestContext, test } from "node:test";
import { Event, Pod } from "@trivium/kube";
import { playAgain, preparePodman, runThrough } from "@trivium/testkit";
import { type ContainerEngine, findContainerEngine } from "../src/index.ts";
import { isReady, reached, startNode, urlOf } from "./setup-node.ts";

const folder = mkdtempSync(join(tmpdir(), "trivium-containers-"));
const image = "localhost/trivium-test-box:1";
const archive = join(folder, "image.tar");
/** Set in the process that this file starts where the machine has no engine: the folder of Debian's podman. */
const unpacked = process.env.TRIVIUM_TEST_PODMAN;
const imageGiven = process.env.TRIVIUM_TEST_IMAGE ?? archive;
const engine = await findEngine(unpacked ?? process.env.PATH ?? "");

/** An engine that really runs something: many machines have one that cannot. */
async function findEngine(searchPath: string): Promise<ContainerEngine | string> {
  const found = await findContainerEngine(searchPath);
  if (typeof found === "string") return found;
  try {
    if (unpacked === undefined) buildImage(spawnSync("which", ["busybox"], { encoding: "utf8" }).stdout.trim());
    await found.run(["import", imageGiven, image]);
    await found.run(["run", "--rm", image, "/bin/true"]);
    return found;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function buildImage(busybox: string): void {
  if (busybox === "") throw new Error("there is no busybox to build an image of");
  const programs = join(folder, "root", "bin");
  mkdirSync(programs, { recursive: true });
  copyFileSync(busybox, join(programs, "busybox"));
  for (const name of ["sh", "sleep", "cat", "httpd", "echo", "test", "true"])
    symlinkSync("busybox", join(programs, name));
  execFileSync("tar", ["-C", join(folder, "root"), "-cf", archive, "."]);
}

after(async () => {
  if (typeof engine !== "string") await engine.run(["image", "rm", "--force", image]).catch(() => undefined);
  rmSync(folder, { recursive: true, force: true });
});

if (typeof engine !== "string") describe("pods in containers", () => tryPods(engine));
else if (unpacked !== undefined) assert.fail(engine);
else test("pods in containers of Debian's podman, in a network of its own", (t) => playApart(t, engine));

/** Plays this file with an engine that is not installed. */
async function playApart(t: TestContext, why: string): Promise<void> {
  const podman = await preparePodman(join(folder, "podman"));
  if (podman.is === "missing") return t.skip(`skipped: ${why}; podman of Debian: ${podman.why}`);
  buildImage(podman.busybox);
  const attempt = `podman import ${archive} ${image} && podman run --rm ${image} /bin/true`;
  const probe = await runThrough(podman.apart(["sh", "-c", `PATH=${podman.programs}:$PATH; ${attempt}`]));
  if (probe.code !== 0) return t.skip(`skipped: this machine lets podman run no containers: ${probe.output}`);
  const environment = { TRIVIUM_TEST_PODMAN: podman.programs, TRIVIUM_TEST_IMAGE: archive };
  const played = await playAgain(import.meta.filename, { through: podman.apart, environment });
  assert.ok(played.isPassed, played.output);
}

async function tryPods(containers: ContainerEngine): Promise<void> {
  const left = async () =>
    (await containers.run(["ps", "--all", "--format", "{{.Names}}"]))
      .split("\n")
      .filter((name) => name.startsWith("trivium-"));

  /** Another node may run on this machine. */
  const before = await left();

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
}
