import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { eventually, isReady, mark, startProcessStage, stateOf } from "./process-stage.ts";

const never = { restartPolicy: "Never" } as const;
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => String(from + i));
const untilThere = (file: string) => `while ! [ -e ${file} ]; do sleep 0.02; done`;

// Most of their time is waiting, and each has a node of its own.
describe("logs in files", { concurrency: true }, () => {
  test("a log is read from its files: whole, its tail, since a time, with times, cut, followed, after the agent has gone", async (t) => {
    const stage = await startProcessStage(t);
    const first = await stage.agent({ logFiles: { bytes: 1_000, files: 4 } });
    await stage.create(
      "talks",
      `seq 1 100; ${untilThere("more")}; seq 101 200; ${untilThere("on")}; echo end; exec sleep ${mark(81)}`,
    );
    const uid = (await stage.until("talks", isReady)).metadata.uid ?? "";
    const followed = stage.log("talks", { follow: true });
    let stamp = "";
    await eventually(async () => {
      const before = stamp;
      stamp = (await stage.log("talks", { timestamps: true })).at(-1) ?? "";
      return stamp.endsWith(" 100") && stamp === before;
    }, "the time of the first part is noted");
    const between = Date.now();
    await writeFile(join(stage.root, "rooms", uid, "more"), "");
    await eventually(async () => (await stage.log("talks")).at(-1) === "200", "it has printed");
    assert.deepEqual(await stage.log("talks"), numbers(1, 200));
    assert.deepEqual(await stage.log("talks", { tailLines: 3 }), ["198", "199", "200"]);
    assert.deepEqual(await stage.log("talks", { tailLines: 150 }), numbers(51, 200), "over the edges of files");
    assert.deepEqual(await stage.log("talks", { tailLines: 0 }), []);
    assert.deepEqual(await stage.log("talks", { sinceSeconds: 3_600, tailLines: 2 }), ["199", "200"]);
    assert.deepEqual(await stage.log("talks", { limitBytes: 5 }), ["1", "2", "3"]);
    const stamped = await stage.log("talks", { timestamps: true });
    assert.ok(
      stamped.every((line) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z \d+$/.test(line)),
      stamped[0],
    );
    const times = stamped.map((line) => Date.parse(line.split(" ")[0] ?? ""));
    const [before = 0, after = 0] = [times[99], times[100]];
    assert.ok(before < between && between <= after, `${before}, ${between}, ${after}`);
    const sinceTime = new Date(between).toISOString();
    assert.deepEqual(await stage.log("talks", { sinceTime }), numbers(101, 200));
    await first.stop();
    assert.deepEqual(await followed, numbers(1, 200), "readers end with their agent");

    await stage.agent({ logFiles: { bytes: 1_000, files: 4 } });
    assert.deepEqual((await stage.log("talks", { timestamps: true })).slice(0, 200), stamped, "times are remembered");
    const heard: string[] = [];
    const again = stage.log("talks", { follow: true, tailLines: 1 }, heard);
    await eventually(async () => heard.length > 0, "the follower has the last line");
    await writeFile(join(stage.root, "rooms", uid, "on"), "");
    await eventually(async () => (await stage.log("talks")).at(-1) === "end", "the new agent sees it go on");
    await stage.delete("talks", 1);
    assert.deepEqual(await again, ["200", "end"]);
  });

  test("a log is cut into files, the oldest go, and a follower that keeps up misses nothing", async (t) => {
    const stage = await startProcessStage(t);
    await stage.agent({ logFiles: { bytes: 10_000, files: 3 } });
    await stage.create(
      "many",
      "sleep 0.2; i=1000; while [ $i -lt 10000 ]; do seq $i $((i + 999)); i=$((i + 1000)); sleep 0.4; done",
      never,
    );
    await stage.until("many", (pod) => stateOf(pod)?.state?.running !== undefined);
    const followed = await stage.log("many", { follow: true });
    assert.deepEqual(followed, numbers(1000, 9999));
    await stage.until("many", ({ status }) => status?.phase === "Succeeded");
    const kept = await stage.log("many");
    assert.ok(kept.length < 6_001 && kept.length > 3_000, `${kept.length} lines are kept`);
    assert.deepEqual(kept.slice(1), numbers(10_000 - kept.length + 1, 9999));
    const uid = (await stage.get("many"))?.metadata.uid ?? "";
    const folder = join(stage.root, "containers", uid, "main");
    const [run = ""] = await readdir(folder);
    await eventually(
      async () => (await readdir(join(folder, run))).filter((name) => name.startsWith("log.")).length <= 3,
      "three files",
    );
  });

  test("a hundred megabytes, a line without an end, bytes that are no text, and a closed output do no harm", async (t) => {
    const stage = await startProcessStage(t);
    const agent = await stage.agent({ logFiles: { bytes: 1_000_000, files: 3 } });
    await stage.create("flood", "head -c 100000000 /dev/zero | tr '\\0' x; echo; echo last", never);
    await stage.create("bytes", "printf 'a\\377b\\nno end'", never);
    await stage.create("closed", "exec >&- 2>&-; sleep 0.1; exit 4", never);
    await stage.until("flood", ({ status }) => status?.phase === "Succeeded");
    assert.deepEqual(await stage.log("flood", { tailLines: 1 }), ["last"]);
    const [long = ""] = await stage.log("flood", { tailLines: 2, limitBytes: 1_000 });
    assert.equal(long, "x".repeat(1_000));
    await stage.until("bytes", ({ status }) => status?.phase === "Succeeded");
    assert.deepEqual(await stage.log("bytes"), ["a\uFFFDb", "no end"]);
    assert.match((await stage.log("bytes", { timestamps: true })).join("\n"), /^\S+Z a\uFFFDb\n\S+Z no end$/);
    const pod = await stage.until("closed", ({ status }) => status?.phase === "Failed");
    assert.equal(stateOf(pod)?.state?.terminated?.exitCode, 4);
    assert.deepEqual(await stage.log("closed"), []);
    assert.equal(agent.size, 3);
  });

  test("output through /dev/stdout and /dev/stderr is kept in order, and what is printed last is not lost", async (t) => {
    const stage = await startProcessStage(t);
    await stage.agent();
    await stage.create(
      "tricky",
      "echo one; echo two > /dev/stderr; echo three > /dev/stdout; echo four >&2; exit 1",
      never,
      { image: "noted" },
    );
    const pod = await stage.until("tricky", ({ status }) => status?.phase === "Failed");
    assert.equal(stateOf(pod)?.state?.terminated?.exitCode, 1, JSON.stringify(pod.status));
    assert.deepEqual(await stage.log("tricky"), ["runs here as a process", "one", "two", "three", "four"]);
  });
});
