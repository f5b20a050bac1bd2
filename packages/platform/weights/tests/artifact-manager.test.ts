import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { WantedArtifact } from "@trivium/domain";
import { type ArtifactEvent, WeightsError } from "../src/index.ts";
import { describeManager, hub, open, request, root, states } from "./artifact-manager-fixture.ts";

describeManager("an artifact manager", () => {
  test("brings files, reads them, and removes them with their blobs", async () => {
    const { manager, reports, gone, until } = open();
    manager.want([request()]);
    const ready = await until(({ is }) => is === "ready");
    assert.ok(ready.is === "ready" && ready.read?.config?.model_type === "llama");
    assert.deepEqual([...new Set(states(reports))], ["updating", "ready"]);
    assert.equal(readFileSync(join(root, "models/m/weights.bin")).length, 100_000);
    manager.want([]);
    await manager.settled();
    assert.deepEqual(gone, ["m"]);
    assert.ok(!existsSync(join(root, "models/m")));
    assert.deepEqual(readdirSync(join(root, "store/blobs/sha256")), []);
  });

  test("a keeper that comes after finds the copy whole, and asks nobody", async () => {
    const first = open();
    first.manager.want([request()]);
    await first.until(({ is }) => is === "ready");
    await first.manager.stop();
    hub.access = "private";
    rmSync(join(root, "models/m/config.json"));
    const second = open();
    second.manager.want([request()]);
    await second.until(({ is }) => is === "ready");
    assert.deepEqual(states(second.reports), ["ready"]);
    assert.ok(existsSync(join(root, "models/m/config.json")), "a link that somebody took away is there again");
  });

  test("a failure is told, and tried again until it works", async () => {
    const heard = open();
    hub.access = "private";
    heard.manager.want([request()]);
    const failed = await heard.until(({ is }) => is === "failed");
    assert.ok(failed.is === "failed" && failed.why.length > 0);
    await heard.manager.settled();
    hub.access = "public";
    heard.retry();
    await heard.until(({ is }) => is === "ready");
  });

  test("without a permit the source is listed and nothing is downloaded, until it is given and after it is taken back", async () => {
    const { manager, reports, until } = open();
    manager.want([request({ permit: "awaited" })]);
    const listed = await until((report) => report.is === "updating" && report.listed !== undefined);
    await manager.settled();
    assert.deepEqual(listed, {
      key: "m",
      is: "updating",
      listed: [
        { path: "config.json", bytes: 22 },
        { path: "weights.bin", bytes: 100_000 },
      ],
    });
    assert.ok(!existsSync(join(root, "models/m")), "no file was shown");
    assert.equal(hub.served, 0, "no byte of a file was downloaded");
    manager.want([request({ permit: "denied" })]);
    await manager.settled();
    assert.equal(hub.served, 0);
    manager.want([request()]);
    await until(({ is }) => is === "ready");
    await manager.settled();
    reports.length = 0;
    manager.want([request({ permit: "denied" })]);
    await until(({ is }) => is === "ready");
    await manager.settled();
    assert.deepEqual(states(reports), ["ready"], "files that are whole stay available");
  });

  test("a source that cannot be listed fails before it is permitted, and is listed again", async () => {
    const heard = open();
    hub.access = "private";
    heard.manager.want([request({ permit: "awaited" })]);
    await heard.until(({ is }) => is === "failed");
    await heard.manager.settled();
    hub.access = "public";
    heard.retry();
    await heard.until((report) => report.is === "updating" && report.listed !== undefined);
  });

  test("a token comes from the Secret, and why there is none is told", async () => {
    hub.access = "private";
    const secret = {
      namespace: "ome",
      name: "hub",
      entries: [{ key: "token", variable: "HF_TOKEN", need: "must" }],
    } as const;
    const missing = async (): Promise<never> => {
      throw new WeightsError("not-allowed", "AccessDenied", "Secret hub has no key token");
    };
    const without = open({ secretsOf: missing });
    without.manager.want([request({ secret })]);
    const failed = await without.until(({ is }) => is === "failed");
    assert.ok(failed.is === "failed" && failed.why === "Secret hub has no key token");
    await without.manager.stop();
    const withToken = open({ secretsOf: async () => ({ HF_TOKEN: hub.goodToken }) });
    withToken.manager.want([request({ secret, key: "other", path: "/models/other" })]);
    await withToken.until(({ is }) => is === "ready");
    assert.ok(!JSON.stringify(withToken.reports).includes(hub.goodToken));
  });

  test("a wish taken back in the middle of a download leaves nothing, and one made again is served", async () => {
    const { manager, gone, until, reports } = open();
    manager.want([request()]);
    manager.want([]);
    await manager.settled();
    assert.deepEqual(gone, ["m"]);
    assert.ok(!existsSync(join(root, "models/m")));
    reports.length = 0;
    manager.want([request()]);
    await until(({ is }) => is === "ready");
  });

  test("failures tell how often and when next, and everything is counted", async () => {
    const events: ArtifactEvent[] = [];
    const heard = open({
      onEvent: (event) => void events.push(event),
      now: () => 1_000,
      retry: { first: 10, longest: 40 },
    });
    hub.access = "private";
    heard.manager.want([request()]);
    for (const [failures, nextAt] of [
      [1, 1_010],
      [2, 1_020],
      [3, 1_040],
      [4, 1_040],
    ]) {
      const failed = await heard.until((report) => report.is === "failed" && report.retry?.failures === failures);
      assert.deepEqual(failed.is === "failed" && failed.retry, { failures, nextAt });
      await heard.manager.settled();
      if (failures === 4) hub.access = "public";
      heard.retry();
    }
    await heard.until(({ is }) => is === "ready");
    const count = (is: string) => events.filter((event) => event.is === is).length;
    assert.deepEqual([count("failed"), count("fetched"), count("verified")], [4, 1, 5]);
  });

  test("what fetches nothing does not wait behind downloads that hang", async () => {
    hub.stopAfter = 1;
    hub.files.set("other.bin", { content: Buffer.alloc(100_000, 5), isLarge: true });
    mkdirSync(join(root, "there"));
    writeFileSync(join(root, "there/config.json"), "{}");
    const { manager, until, gone } = open();
    const slow = ["weights", "other"].map((name) =>
      request({ key: name, path: `/models/${name}`, source: { is: "fetched", uri: `hf://org/repo/${name}.bin` } }),
    );
    manager.want(slow);
    await hub.untilStopped();
    const quick = request({ key: "there", path: "/there", source: { is: "present" } });
    manager.want([...slow, quick, request({ key: "vendor", path: "/v", source: { is: "elsewhere" } })]);
    for (const key of ["there", "vendor"]) await until((report) => report.key === key && report.is === "ready");
    manager.want([slow[0] as WantedArtifact]);
    await new Promise<void>((resolve) => {
      const check = setInterval(() => {
        if (!gone.includes("other")) return;
        clearInterval(check);
        resolve();
      }, 5);
    });
    hub.resume();
    await until((report) => report.key === "weights" && report.is === "ready");
  });

  test("what can never be fetched is said at once, and does not wait behind downloads", async () => {
    hub.stopAfter = 1;
    const refused = new WeightsError("refused", "OutsideRoots", "outside");
    const { manager, until } = open({
      lanes: 1,
      folderOf: async (path) => {
        if (path.startsWith("/elsewhere")) throw refused;
        return join(root, path);
      },
      secretsOf: async () => {
        throw new WeightsError("not-allowed", "AccessDenied", "no Secret");
      },
    });
    const secret = { namespace: "ns", name: "hub", entries: [] };
    manager.want([
      request(),
      request({ key: "outside", path: "/elsewhere/m" }),
      request({ key: "closed", path: "/models/c", secret }),
    ]);
    await hub.untilStopped();
    for (const [key, why] of [
      ["outside", "outside"],
      ["closed", "no Secret"],
    ] as const) {
      const report = await until((one) => one.key === key && one.is === "failed");
      assert.ok(report.is === "failed" && report.why.startsWith(why));
    }
    manager.want([
      request(),
      request({ key: "second", path: "/models/s", source: { is: "fetched", uri: "hf://org/repo@v2" } }),
    ]);
    const queued = await until((one) => one.key === "second");
    assert.deepEqual(queued, { key: "second", is: "updating", isQueued: true });
    hub.resume();
  });
});
