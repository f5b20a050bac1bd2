import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Node } from "@trivium/kube";
import { findCgroups } from "../src/sandboxes/process/processes/cgroups.ts";
import { eventually, isReady, mark, pause, processesWith, shell, startProcessStage, stateOf } from "./process-stage.ts";

// Most of their time is waiting, and each has a node of its own.
describe("containers as processes", { concurrency: true }, () => {
  test("a pod becomes a process within a moment, prints, is ready, and leaves nothing when it is deleted", async (t) => {
    const stage = await startProcessStage(t);
    await stage.agent();
    await stage.create(
      "web",
      `echo "hello $GREETED"; exec sleep ${mark(61)}`,
      {},
      { env: [{ name: "GREETED", value: "world" }] },
    );
    const pod = await stage.until("web", isReady);
    assert.equal(stateOf(pod)?.restartCount, 0);
    assert.match(stateOf(pod)?.containerID ?? "", /^process:\/\/[0-9a-f]{64}$/);
    await eventually(async () => (await stage.log("web")).join() === "hello world", "it prints");
    assert.equal((await processesWith(mark(61))).length > 0, true);
    await stage.delete("web", 5);
    await stage.untilGone("web");
    assert.deepEqual(await processesWith(mark(61)), []);
    assert.deepEqual(stage.failures, []);
  });

  test("the environment is what the spec gives, to the letter", async (t) => {
    const stage = await startProcessStage(t);
    await stage.agent();
    const never = { restartPolicy: "Never" } as const;
    process.env.NOT_FOR_YOU = "secret";
    const plain = [{ name: "LINES", value: "two\nlines $(x) 'quoted' \"double\"" }];
    // A shell would not pass these on.
    const odd = ["app.mode-of", "OPTIND", "PWD", "_"].map((name) => ({ name, value: "odd" }));
    await stage.create("plain", "", never, { command: ["env"], env: plain });
    await stage.create("odd", "", never, { command: ["env"], env: odd });
    delete process.env.NOT_FOR_YOU;
    const printed = async (name: string) => {
      await stage.until(name, ({ status }) => status?.phase === "Succeeded");
      return (await stage.log(name)).sort();
    };
    assert.deepEqual(await printed("plain"), ["LINES=two", "PATH=/usr/bin:/bin", "lines $(x) 'quoted' \"double\""]);
    assert.deepEqual(await printed("odd"), ["OPTIND=odd", "PATH=/usr/bin:/bin", "PWD=odd", "_=odd", "app.mode-of=odd"]);
  });

  test("no file of the agent is open in a container, and its umask and session are its own", async (t) => {
    const stage = await startProcessStage(t);
    await stage.agent();
    const script = "umask; for file in /proc/$$/fd/*; do readlink $file; done; true";
    await stage.create("files", script, { restartPolicy: "Never" });
    await stage.until("files", ({ status }) => status?.phase === "Succeeded");
    const [umask, ...files] = await stage.log("files");
    assert.equal(umask, "0022");
    const others = files.filter((line) => line !== "/dev/null" && !line.endsWith("/out"));
    assert.deepEqual(others, [], "what is open leads to the log or nowhere");
  });

  test("exit codes, reasons and termination messages are those a kubelet writes", async (t) => {
    const stage = await startProcessStage(t);
    await stage.agent();
    const never = { restartPolicy: "Never" } as const;
    const message = "$(pwd)/main.message";
    await stage.create("good", `printf done > "${message.replace("$(pwd)", ".")}"`, never);
    await stage.create("bad", "echo first; echo second; exit 3", never, {
      terminationMessagePolicy: "FallbackToLogsOnError",
    });
    await stage.create("gone", "", never, { command: ["no-such-program"] });
    await stage.create("denied", "", never, { command: ["/etc/passwd"] });
    await stage.create("lost", "true", never, { workingDir: "/no/such/folder" });
    await stage.create("killed", "kill -SEGV $$", never);
    await stage.create("huge", "true", never, { env: [{ name: "A", value: "x".repeat(300_000) }] });
    const endOf = async (name: string) => {
      const pod = await stage.until(name, ({ status }) => status?.phase === "Succeeded" || status?.phase === "Failed");
      const { exitCode, reason, message = "" } = stateOf(pod)?.state?.terminated ?? {};
      return `${pod.status?.phase} ${exitCode} ${reason} ${message}`;
    };
    assert.equal(await endOf("good"), "Succeeded 0 Completed done");
    assert.equal(await endOf("bad"), "Failed 3 Error first\nsecond\n");
    assert.equal(
      await endOf("gone"),
      'Failed 128 StartError exec: "no-such-program": executable file not found in $PATH',
    );
    assert.equal(
      await endOf("denied"),
      'Failed 128 StartError exec: "/etc/passwd": stat /etc/passwd: permission denied',
    );
    assert.equal(await endOf("lost"), "Failed 128 StartError the working directory does not exist");
    assert.equal(await endOf("killed"), "Failed 139 Error ");
    assert.match(await endOf("huge"), /^Failed 128 StartError argument list too long/);
  });

  test("a crash loop waits, counts, shows the log of the run before, and keeps only two runs", async (t) => {
    const stage = await startProcessStage(t);
    await stage.agent();
    await stage.create("crash", 'echo "run $$"; exit 1');
    const pod = await stage.until("crash", (observed) => {
      const status = stateOf(observed);
      return (status?.restartCount ?? 0) >= 2 && status?.state?.waiting?.reason === "CrashLoopBackOff";
    });
    assert.equal(stateOf(pod)?.lastState?.terminated?.exitCode, 1);
    assert.match((await stage.log("crash")).join(), /^run \d+$/);
    assert.match((await stage.log("crash", { previous: true })).join(), /^run \d+$/);
    const reported = await stage.events("crash");
    assert.ok(
      reported.some((line) => line.startsWith("BackOff: Back-off restarting failed container main")),
      reported.join("\n"),
    );
    assert.ok(reported.some((line) => line === 'Pulled: Container image "shell" already present on machine'));
  });

  test("an image that nothing runs is refused, tried again, and seen in the words people know", async (t) => {
    const stage = await startProcessStage(t);
    await stage.agent();
    await stage.create("ghost", "", {}, { image: "missing" });
    await stage.until("ghost", (pod) => stateOf(pod)?.state?.waiting?.reason === "ImagePullBackOff");
    const reported = await stage.events("ghost");
    assert.ok(
      reported.includes('Failed: Failed to pull image "missing": nothing here runs missing'),
      reported.join("\n"),
    );
    assert.ok(reported.includes("Failed: Error: ErrImagePull"));
  });

  test("init containers go first, a sidecar starts before the mains and ends after them", async (t) => {
    const stage = await startProcessStage(t);
    await stage.agent();
    const order = join(stage.root, "order");
    const noted = (name: string) => `echo ${name} >> ${order}`;
    const lives = (name: string) =>
      `${noted(name)}; trap '${noted(`${name}-ends`)}; exit 0' TERM; sleep ${mark(62)} & wait`;
    await stage.create("order", lives("main"), {
      initContainers: [
        shell("first", `${noted("first")}; sleep 0.1; ${noted("first-done")}`),
        { ...shell("side", lives("side")), restartPolicy: "Always" },
        shell("second", `while ! grep -q side ${order}; do sleep 0.01; done; ${noted("second")}`),
      ],
    });
    await stage.until("order", isReady);
    await eventually(async () => (await readFile(order, "utf8")).endsWith("main\n"), "the main container runs");
    await stage.delete("order", 5);
    await stage.untilGone("order");
    const observed = (await readFile(order, "utf8")).trim().split("\n");
    assert.deepEqual(observed, ["first", "first-done", "side", "second", "main", "main-ends", "side-ends"]);
    assert.deepEqual(await processesWith(mark(62)), []);
  });

  for (const cgroups of [undefined, "none"] as const) {
    const by = cgroups === undefined ? "as the machine allows" : "without a cgroup";
    test(`a process that ignores the request to end is killed when its time is over, with all it started, ${by}`, async (t) => {
      const stage = await startProcessStage(t);
      await stage.agent(cgroups === undefined ? {} : { cgroups });
      const hasGroup = cgroups === undefined && (await findCgroups("trivium-asks")) !== undefined;
      const number = mark(cgroups === undefined ? 63 : 66);
      const sleeps = `sleep ${number}`;
      // One that leaves both its session and its parents is found by its cgroup alone.
      const escapes = hasGroup ? `(setsid ${sleeps} &)` : `setsid ${sleeps} &`;
      const stays = `${sleeps} & (trap "" TERM HUP; ${sleeps} & wait) & while :; do ${sleeps}; done`;
      await stage.create("stubborn", `trap "" TERM; ${escapes} ${hasGroup ? ";" : ""} ${stays}`);
      await stage.until("stubborn", isReady);
      await eventually(async () => (await processesWith(`sleep\x00${number}`)).length >= 4, "all of it runs");
      const began = Date.now();
      await stage.delete("stubborn", 1);
      await stage.untilGone("stubborn");
      assert.ok(Date.now() - began >= 900, "it had its time");
      assert.deepEqual(await processesWith(number), []);
    });

    test(`more memory than its limit ends a container as OOMKilled, ${by}`, async (t) => {
      const stage = await startProcessStage(t);
      const agent = await stage.agent(cgroups === undefined ? {} : { cgroups });
      const isAllowed = "require('node:fs').existsSync('on')";
      const hungry = `const all = []; setInterval(() => ${isAllowed} && all.push(Buffer.alloc(4e6, 1)), 30)`;
      const resources = { limits: { memory: String(120 * 1024 ** 2) } };
      const command = [process.execPath, "-e", hungry];
      await stage.create("hungry", "", { restartPolicy: "Never" }, { command, resources });
      const { metadata } = await stage.until("hungry", (pod) => stateOf(pod)?.state?.running !== undefined);
      await eventually(async () => {
        const [used] = await agent.usage();
        return used?.pod === "hungry" && used.container === "main" && used.memoryBytes > 0;
      }, "what it uses is known");
      await writeFile(join(stage.root, "rooms", metadata.uid ?? "", "on"), "");
      const pod = await stage.until("hungry", ({ status }) => status?.phase === "Failed");
      const { exitCode, reason } = stateOf(pod)?.state?.terminated ?? {};
      assert.deepEqual([exitCode, reason], [137, "OOMKilled"]);
      assert.deepEqual(await agent.usage(), []);
    });
  }

  test("what a process left behind goes with it", async (t) => {
    const stage = await startProcessStage(t);
    await stage.agent();
    await stage.create("parent", `sleep ${mark(64)} & sleep ${mark(64)} & echo left`, { restartPolicy: "Never" });
    const pod = await stage.until("parent", ({ status }) => status?.phase === "Succeeded");
    assert.equal(stateOf(pod)?.state?.terminated?.exitCode, 0);
    assert.deepEqual(await processesWith(mark(64)), []);
  });

  test("a Node that somebody deletes is registered again, and its pods go on", async (t) => {
    const stage = await startProcessStage(t);
    await stage.agent();
    await stage.create("stays", `exec sleep ${mark(65)}`);
    await stage.until("stays", isReady);
    const { metadata } = await stage.client.get(Node, { name: "node-a" });
    await stage.client.delete(Node, { name: "node-a" });
    const uidNow = () =>
      stage.client
        .get(Node, { name: "node-a" })
        .then((node) => node.metadata.uid)
        .catch(() => undefined);
    await eventually(async () => ![undefined, metadata.uid].includes(await uidNow()), "there is a new Node");
    await eventually(
      async () => (await stage.client.get(Node, { name: "node-a" })).status?.capacity !== undefined,
      "it has a status",
    );
    await pause(50);
    assert.equal((await processesWith(mark(65))).length > 0, true);
  });
});
