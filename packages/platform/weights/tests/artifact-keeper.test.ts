import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import type { ArtifactReport, WantedArtifact } from "@trivium/domain";
import { HubServer } from "@trivium/testkit";
import { ArtifactKeeper, type KeeperOptions, Store } from "../src/index.ts";

let hub: HubServer;
let root: string;
let keepers: ArtifactKeeper[];
beforeEach(async () => {
  hub = await new HubServer().listen();
  hub.files.set("config.json", { content: Buffer.from('{"model_type":"llama"}'), isLarge: false });
  hub.files.set("weights.bin", { content: Buffer.alloc(100_000, 7), isLarge: true });
  root = mkdtempSync(join(tmpdir(), "keeper-"));
  keepers = [];
});
afterEach(async () => {
  for (const keeper of keepers) await keeper.stop();
  await hub.close();
  rmSync(root, { recursive: true, force: true });
});

interface Heard {
  readonly keeper: ArtifactKeeper;
  readonly reports: ArtifactReport[];
  readonly gone: string[];
  /** Runs what waits for its time. */
  retry(): void;
  until(is: (report: ArtifactReport) => boolean): Promise<ArtifactReport>;
}

function open(more: Partial<KeeperOptions> = {}): Heard {
  const reports: ArtifactReport[] = [];
  const gone: string[] = [];
  const later: (() => void)[] = [];
  const waiting = new Set<() => void>();
  const keeper = new ArtifactKeeper({
    store: new Store(join(root, "store")),
    environment: { HF_ENDPOINT: hub.endpoint, HOME: root },
    folderOf: async (path) => join(root, path),
    secretOf: async () => undefined,
    onReport: (report) => {
      reports.push(report);
      for (const look of [...waiting]) look();
    },
    onGone: (key) => void gone.push(key),
    onTrouble: (what, error) => assert.fail(`${what}: ${error}`),
    now: Date.now,
    schedule: (_, run) => {
      later.push(run);
      return () => void later.splice(later.indexOf(run), 1);
    },
    ...more,
  });
  keepers.push(keeper);
  const until = (is: (report: ArtifactReport) => boolean) =>
    new Promise<ArtifactReport>((resolve) => {
      const look = (): void => {
        const found = reports.find(is);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  const retry = (): void => {
    for (const run of later.splice(0)) run();
  };
  return { keeper, reports, gone, retry, until };
}

const wish = (more: Partial<WantedArtifact> = {}): WantedArtifact => ({
  key: "m",
  source: { is: "fetched", uri: "hf://org/repo" },
  path: "/models/m",
  settings: {},
  reading: "headers",
  afterwards: "remove",
  ...more,
});
const states = (reports: readonly ArtifactReport[]) => reports.map(({ is }) => is);

test("brings files, reads them, and removes them with their blobs", async () => {
  const { keeper, reports, gone, until } = open();
  keeper.want([wish()]);
  const ready = await until(({ is }) => is === "ready");
  assert.ok(ready.is === "ready" && ready.read?.config?.model_type === "llama");
  assert.deepEqual([...new Set(states(reports))], ["updating", "ready"]);
  assert.equal(readFileSync(join(root, "models/m/weights.bin")).length, 100_000);
  keeper.want([]);
  await keeper.settled();
  assert.deepEqual(gone, ["m"]);
  assert.ok(!existsSync(join(root, "models/m")));
  assert.deepEqual(readdirSync(join(root, "store/blobs/sha256")), []);
});

test("a keeper that comes after finds the copy whole, and asks nobody", async () => {
  const first = open();
  first.keeper.want([wish()]);
  await first.until(({ is }) => is === "ready");
  await first.keeper.stop();
  hub.access = "private";
  rmSync(join(root, "models/m/config.json"));
  const second = open();
  second.keeper.want([wish()]);
  await second.until(({ is }) => is === "ready");
  assert.deepEqual(states(second.reports), ["ready"]);
  assert.ok(existsSync(join(root, "models/m/config.json")), "a link that somebody took away is there again");
});

test("a failure is told, and tried again until it works", async () => {
  const heard = open();
  hub.access = "private";
  heard.keeper.want([wish()]);
  const failed = await heard.until(({ is }) => is === "failed");
  assert.ok(failed.is === "failed" && failed.why.length > 0);
  await heard.keeper.settled();
  hub.access = "public";
  heard.retry();
  await heard.until(({ is }) => is === "ready");
});

test("a token comes from the Secret, and one that is missing is named", async () => {
  hub.access = "private";
  const secret = { namespace: "ome", name: "hub", key: "token", variable: "HF_TOKEN" };
  const without = open();
  without.keeper.want([wish({ secret })]);
  const failed = await without.until(({ is }) => is === "failed");
  assert.ok(failed.is === "failed" && /Secret hub of namespace ome has no entry token/.test(failed.why));
  const withToken = open({ secretOf: async () => hub.goodToken });
  withToken.keeper.want([wish({ secret, key: "other", path: "/models/other" })]);
  await withToken.until(({ is }) => is === "ready");
  assert.ok(!JSON.stringify(withToken.reports).includes(hub.goodToken));
});

test("another source replaces the files, another path moves them", async () => {
  const { keeper, reports, until } = open();
  keeper.want([wish()]);
  await until(({ is }) => is === "ready");
  reports.length = 0;
  keeper.want([wish({ source: { is: "fetched", uri: "hf://org/repo/config.json" }, path: "/models/moved" })]);
  await until(({ is }) => is === "ready");
  assert.deepEqual(readdirSync(join(root, "models/moved")), ["config.json"]);
  assert.ok(!existsSync(join(root, "models/m")));
});

test("files that are another's too, or are to be kept, stay", async () => {
  const { keeper, gone, until } = open();
  const kept = wish({ key: "kept", path: "/models/kept", afterwards: "keep" });
  keeper.want([wish(), wish({ key: "twin" }), kept]);
  for (const key of ["m", "twin", "kept"]) await until((report) => report.key === key && report.is === "ready");
  keeper.want([wish({ key: "twin" })]);
  await keeper.settled();
  assert.deepEqual(gone.sort(), ["kept", "m"]);
  assert.ok(existsSync(join(root, "models/m/weights.bin")) && existsSync(join(root, "models/kept/weights.bin")));
});

test("what is on the machine already is read and never removed", async () => {
  mkdirSync(join(root, "there"));
  writeFileSync(join(root, "there/config.json"), '{"model_type":"bert"}');
  const { keeper, gone, until } = open();
  keeper.want([
    wish({ source: { is: "present" }, path: "/there" }),
    wish({ key: "missing", source: { is: "present" }, path: "/nowhere" }),
    wish({ key: "vendor", source: { is: "elsewhere" } }),
    wish({ key: "odd", source: { is: "refused", why: "no such scheme" } }),
  ]);
  const ready = await until((report) => report.key === "m" && report.is === "ready");
  assert.ok(ready.is === "ready" && ready.read?.config?.model_type === "bert");
  const failed = await until((report) => report.key === "missing" && report.is === "failed");
  assert.ok(failed.is === "failed" && /nothing on this node/.test(failed.why));
  await until((report) => report.key === "vendor" && report.is === "ready");
  await until((report) => report.key === "odd" && report.is === "failed");
  await keeper.settled();
  keeper.want([]);
  await keeper.settled();
  assert.equal(gone.length, 4);
  assert.ok(existsSync(join(root, "there/config.json")));
});

test("a wish taken back in the middle of a download leaves nothing, and one made again is served", async () => {
  const { keeper, gone, until, reports } = open();
  keeper.want([wish()]);
  keeper.want([]);
  await keeper.settled();
  assert.deepEqual(gone, ["m"]);
  assert.ok(!existsSync(join(root, "models/m")));
  reports.length = 0;
  keeper.want([wish()]);
  await until(({ is }) => is === "ready");
});
