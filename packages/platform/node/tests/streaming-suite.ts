import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { FoundKubectl } from "./find-kubectls.ts";
import { eventually, isReady, mark, processesWith } from "./process-stage.ts";
import { digest, hasTerminals, kubectlOf, type StreamingNode, startStreamingStage } from "./streaming-stage.ts";

/** What a kubelet does for exec, cp, attach, run, debug and port-forward, by one kubectl; a real kubelet is held to the same. */
export function testStreaming(
  { version, path }: FoundKubectl,
  startNode: (t: TestContext) => Promise<StreamingNode | undefined> = startStreamingStage,
): void {
  test(`kubectl ${version}: exec, cp, attach and run, as with a kubelet`, async (t) => {
    const stage = await startNode(t);
    if (stage === undefined) return;
    const { shell, image, nodeName } = stage;
    const kubectl = kubectlOf(path, stage);
    await stage.create("two", "", {
      containers: [
        shell("main", "echo begun; while sleep 1; do :; done"),
        shell("side", "while echo tick; do sleep 0.1; done"),
      ],
    });
    await stage.until("two", isReady);

    await t.test("a command has its own output, errors and exit code", async () => {
      const ran = await kubectl.run(["exec", "two", "-c", "main", "--", "sh", "-c", "echo out; echo err >&2; exit 3"]);
      assert.equal(ran.stdout.toString(), "out\n");
      assert.equal(ran.stderr, "err\ncommand terminated with exit code 3\n");
      assert.equal(ran.code, 3);
    });

    await t.test("large input and output arrive whole", async () => {
      const bytes = randomBytes(5_000_000);
      const ran = await kubectl.run(["exec", "-i", "two", "-c", "main", "--", "cat"], bytes);
      assert.equal(digest(ran.stdout), digest(bytes));
      const counted = await kubectl.run(["exec", "-i", "two", "-c", "main", "--", "wc", "-c"], bytes);
      assert.equal(counted.stdout.toString().trim(), "5000000");
    });

    await t.test("cp goes both ways", async () => {
      const [here, back] = [join(stage.root, "here.bin"), join(stage.root, "back.bin")];
      await writeFile(here, randomBytes(1_000_000));
      assert.equal((await kubectl.run(["cp", here, "two:there.bin", "-c", "main"])).code, 0);
      assert.equal((await kubectl.run(["cp", "two:there.bin", back, "-c", "main"])).code, 0);
      assert.equal(digest(await readFile(back)), digest(await readFile(here)));
    });

    await t.test("what cannot be done is refused as a kubelet refuses it", async () => {
      const missing = await kubectl.run(["exec", "two", "-c", "main", "--", "nosuch"]);
      assert.equal(missing.code, 1);
      assert.match(missing.stderr, /error executing command in container: .*exec: "nosuch": executable file not found/);
      assert.match((await kubectl.run(["exec", "two", "-c", "zz", "--", "true"])).stderr, /container zz is not valid/);
      assert.match((await kubectl.run(["exec", "none", "--", "true"])).stderr, /pods "none" not found/);
      await stage.create("over", "exit 0", { restartPolicy: "Never" });
      await stage.until("over", ({ status }) => status?.phase === "Succeeded");
      assert.match(
        (await kubectl.run(["exec", "over", "--", "true"])).stderr,
        /completed pod; current phase is Succeeded/,
      );
    });

    await t.test("attach shows what is printed from then on", async () => {
      const child = kubectl.start(["attach", "two", "-c", "side"]);
      child.stdout?.setEncoding("utf8");
      const [text] = (await once(child.stdout ?? child, "data")) as [string];
      assert.match(text, /^tick/m);
      child.kill();
      await once(child, "close");
    });

    await t.test("a client that goes leaves no process behind", { skip: !stage.endsOrphans }, async () => {
      const number = mark(Number(version.split(".")[1]));
      const child = kubectl.start(["exec", "two", "-c", "main", "--", "sh", "-c", `sleep ${number} & sleep ${number}`]);
      await eventually(async () => (await processesWith(`sleep\0${number}`)).length === 2, "it runs");
      child.kill("SIGKILL");
      await eventually(async () => (await processesWith(`sleep\0${number}`)).length === 0, "nothing is left");
    });

    await t.test("a terminal has the size of the client's, and its keys", { skip: !hasTerminals }, async () => {
      const script = "stty size; read line; echo got $line; exit 5";
      const args = ["exec", "-it", "two", "-c", "main", "--", "sh", "-c", script];
      const ran = await kubectl.inTerminal(args, "rows 33 cols 111", (text) =>
        text.includes("33 111") || text.includes("24 80") ? "abc\r" : undefined,
      );
      assert.match(ran.stdout.toString(), /got abc/);
      assert.equal(ran.code, 5);
    });

    await t.test("Ctrl-C in a terminal interrupts the command alone", { skip: !hasTerminals }, async () => {
      const script = "trap 'echo caught; exit 7' INT; echo ready; while :; do sleep 0.2; done";
      const args = ["exec", "-it", "two", "-c", "main", "--", "sh", "-c", script];
      const ran = await kubectl.inTerminal(args, "rows 24 cols 80", (text) =>
        text.includes("ready") ? "\u0003" : undefined,
      );
      assert.match(ran.stdout.toString(), /caught/);
      assert.equal(ran.code, 7);
    });

    await t.test("run -i types into a pod of its own, and its exit code is kubectl's", async () => {
      const args = ["run", "once", "-i", "--rm", `--image=${image}`, "--restart=Never", "--command"];
      const overrides = `--overrides=${JSON.stringify({ apiVersion: "v1", spec: { nodeName } })}`;
      const ran = await kubectl.run([...args, overrides, "--", "/bin/sh"], "echo typed; exit 4\n");
      assert.match(ran.stdout.toString(), /^typed$/m);
      assert.equal(ran.code, 4);
    });

    await t.test("debug adds a container to a pod that runs, and the pod stays ready", async () => {
      const args = ["debug", "two", "-i", `--image=${image}`, "-c", "look", "--", "/bin/sh"];
      const child = kubectl.start(args);
      const closed = once(child, "close");
      let [printed, complaints] = ["", ""];
      child.stdout?.on("data", (piece) => {
        printed += piece;
      });
      child.stderr?.on("data", (piece) => {
        complaints += piece;
      });
      child.stdin?.write("echo looked\n");
      // containerd drops what such a container prints once the input of the client has ended, so it ends last.
      await eventually(() => /^looked$/m.test(printed), "it looked").catch((error: unknown) => {
        throw new Error(`${String(error)}: ${complaints}`);
      });
      child.stdin?.end("exit\n");
      await closed;
      const pod = await stage.until(
        "two",
        ({ status }) => status?.ephemeralContainerStatuses?.[0]?.state?.terminated?.exitCode === 0,
      );
      assert.ok(isReady(pod));
      assert.equal(pod.status?.phase, "Running");
    });

    await t.test("port-forward carries requests, and says why where nothing listens", async () => {
      const port = 20_000 + Number(version.split(".")[1]) * 10;
      await stage.create("web", "", { containers: [stage.web(port)] });
      await stage.until("web", isReady);
      const listens = async () => (await kubectl.run(["logs", "web"])).stdout.toString().includes("listening");
      await eventually(listens, "it listens");
      const child = kubectl.start(["port-forward", "pod/web", `:${port}`, `:${port + 1}`]);
      let [printed, complaints] = ["", ""];
      child.stdout?.on("data", (piece) => {
        printed += piece;
      });
      child.stderr?.on("data", (piece) => {
        complaints += piece;
      });
      const localOf = (to: number): string | undefined => new RegExp(`127.0.0.1:(\\d+) -> ${to}`).exec(printed)?.[1];
      await eventually(() => localOf(port) !== undefined && localOf(port + 1) !== undefined, `forwarding: ${printed}`);
      const all = await Promise.all(Array.from({ length: 20 }, () => read(localOf(port))));
      assert.deepEqual(new Set(all), new Set(["hello from the pod"]));
      await read(localOf(port + 1));
      await eventually(() => complaints.includes(`error forwarding port ${port + 1} to pod `), "a complaint");
      child.kill();
      await once(child, "close");
      const proxied = await kubectl.run(["get", "--raw", `/api/v1/namespaces/default/pods/web:${port}/proxy/`]);
      assert.equal(proxied.stdout.toString(), "hello from the pod");
    });
  });
}

const read = (port: string | undefined): Promise<string> =>
  fetch(`http://127.0.0.1:${port}/`).then(
    (answer) => answer.text(),
    () => "",
  );
