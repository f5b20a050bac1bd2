import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { ArtifactReport, WantedArtifact } from "@trivium/domain";
import { HubServer } from "@trivium/testkit";
import { type ArtifactEvent, ArtifactManager, Store } from "../src/index.ts";

const megabyte = 1024 * 1024;

/** A hub with models of a megabyte, and a keeper on a disk. */
async function startScene({ disk, quotaBytes }: { disk: string; quotaBytes?: number }) {
  const hub = await new HubServer().listen();
  for (const name of ["one", "two"]) hub.files.set(name, { content: Buffer.alloc(megabyte, name), isLarge: true });
  const reports: ArtifactReport[] = [];
  const events: ArtifactEvent[] = [];
  let check = (): void => undefined;
  const manager = new ArtifactManager({
    store: new Store(join(disk, "store"), quotaBytes === undefined ? {} : { quotaBytes }),
    records: join(disk, "store/holdings.json"),
    environment: { HF_ENDPOINT: hub.endpoint, HOME: disk },
    addresses: "any",
    folderOf: async (path) => join(disk, path),
    secretsOf: async () => ({}),
    onReport: (report) => {
      reports.push(report);
      check();
    },
    onGone: () => undefined,
    onEvent: (event) => events.push(event),
    onError: (what, error) => assert.fail(`${what}: ${error}`),
    now: Date.now,
    // Nobody waits: what heals must be woken by what happened.
    schedule: () => () => undefined,
  });
  const stop = async (): Promise<void> => {
    await manager.stop();
    await hub.close();
  };
  const until = (key: string, is: ArtifactReport["is"]) =>
    new Promise<ArtifactReport>((resolve) => {
      check = () => {
        const found = reports.find((report) => report.key === key && report.is === is);
        if (found !== undefined) resolve(found);
      };
      check();
    });
  return { manager, until, stop, events };
}

const request = (name: string): WantedArtifact => ({
  key: name,
  source: { is: "fetched", uri: `hf://org/repo/${name}` },
  path: `/models/${name}`,
  settings: {},
  reading: "nothing",
  afterwards: "remove",
});

test("a limit for all models: what does not fit says so, and comes as soon as another goes", async (t) => {
  const disk = mkdtempSync(join(tmpdir(), "keeper-limit-"));
  const { manager, until, stop } = await startScene({ disk, quotaBytes: 1.5 * megabyte });
  t.after(async () => {
    await stop();
    rmSync(disk, { recursive: true, force: true });
  });
  manager.want([request("one")]);
  await until("one", "ready");
  manager.want([request("one"), request("two")]);
  const failed = await until("two", "failed");
  assert.match(failed.is === "failed" ? failed.why : "", /1048576 bytes do not fit in the quota of 1572864/);
  assert.equal(failed.is === "failed" && failed.exitCode, 6);
  assert.ok(existsSync(join(disk, "models/one/one")), "what somebody wants is not driven out");
  manager.want([request("two")]);
  await until("two", "ready");
});

test("a limit for all models: what nothing uses is deleted for what is wanted, and that is reported", async (t) => {
  const disk = mkdtempSync(join(tmpdir(), "trivium-eviction-"));
  t.after(() => rmSync(disk, { recursive: true, force: true }));
  const before = await startScene({ disk, quotaBytes: 1.5 * megabyte });
  before.manager.want([request("one")]);
  await before.until("one", "ready");
  await before.stop();
  // The folder of the model is gone, and so is the record of it: its files in the store belong to nothing.
  rmSync(join(disk, "models/one"), { recursive: true });
  rmSync(join(disk, "store/holdings.json"));
  const { manager, until, stop, events } = await startScene({ disk, quotaBytes: 1.5 * megabyte });
  t.after(stop);
  manager.want([request("two")]);
  await until("two", "ready");
  assert.deepEqual(
    events.filter(({ is }) => is === "evicted"),
    [{ is: "evicted", key: "two", sources: ["hf://org/repo/one"], bytes: megabyte }],
  );
});

test("a full disk: nothing is fetched, it says how much is missing, and what is freed is used at once", async (t) => {
  const disk = mkdtempSync(join(tmpdir(), "keeper-disk-"));
  const small = join(disk, "small");
  mkdirSync(small);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${1.5 * megabyte}`, "tmpfs", small], { stdio: "ignore" });
  } catch {
    rmSync(disk, { recursive: true });
    return t.skip("skipped: this machine does not let us mount a small disk");
  }
  const { manager, until, stop } = await startScene({ disk: small });
  t.after(async () => {
    await stop();
    execFileSync("umount", ["-l", small]);
    rmSync(disk, { recursive: true });
  });
  manager.want([request("one")]);
  await until("one", "ready");
  manager.want([request("one"), request("two")]);
  const failed = await until("two", "failed");
  assert.match(failed.is === "failed" ? failed.why : "", /needs 1048576 more bytes but only \d+ are free; free \d+/);
  manager.want([request("two")]);
  await until("two", "ready");
});
