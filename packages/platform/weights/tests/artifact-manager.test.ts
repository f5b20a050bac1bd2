import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { crc32 } from "node:zlib";
import type { ArtifactReport, WantedArtifact } from "@trivium/domain";
import { HubServer } from "@trivium/testkit";
import { type ArtifactEvent, ArtifactManager, type ArtifactManagerOptions, Store, WeightsError } from "../src/index.ts";

let hub: HubServer;
let root: string;
let keepers: ArtifactManager[];
beforeEach(async () => {
  hub = await new HubServer().listen();
  hub.files.set("config.json", { content: Buffer.from('{"model_type":"llama"}'), isLarge: false });
  hub.files.set("weights.bin", { content: Buffer.alloc(100_000, 7), isLarge: true });
  root = mkdtempSync(join(tmpdir(), "keeper-"));
  keepers = [];
});
afterEach(async () => {
  for (const manager of keepers) await manager.stop();
  await hub.close();
  rmSync(root, { recursive: true, force: true });
});

interface Heard {
  readonly manager: ArtifactManager;
  readonly reports: ArtifactReport[];
  readonly gone: string[];
  /** Runs what waits for its time. */
  retry(): void;
  until(is: (report: ArtifactReport) => boolean): Promise<ArtifactReport>;
}

function open(more: Partial<ArtifactManagerOptions> = {}): Heard {
  const reports: ArtifactReport[] = [];
  const gone: string[] = [];
  const later: (() => void)[] = [];
  const waiting = new Set<() => void>();
  const manager = new ArtifactManager({
    store: new Store(join(root, "store")),
    environment: { HF_ENDPOINT: hub.endpoint, HOME: root },
    addresses: "any",
    folderOf: async (path) => join(root, path),
    records: join(root, "store/holdings.json"),
    secretsOf: async () => ({}),
    onReport: (report) => {
      reports.push(report);
      for (const check of [...waiting]) check();
    },
    onGone: (key) => void gone.push(key),
    onError: (what, error) => assert.fail(`${what}: ${error}`),
    now: Date.now,
    schedule: (_, run) => {
      later.push(run);
      return () => void later.splice(later.indexOf(run), 1);
    },
    ...more,
  });
  keepers.push(manager);
  const until = (is: (report: ArtifactReport) => boolean) =>
    new Promise<ArtifactReport>((resolve) => {
      const check = (): void => {
        const found = reports.find(is);
        if (found === undefined) return;
        waiting.delete(check);
        resolve(found);
      };
      waiting.add(check);
      check();
    });
  const retry = (): void => {
    for (const run of later.splice(0)) run();
  };
  return { manager, reports, gone, retry, until };
}

const request = (more: Partial<WantedArtifact> = {}): WantedArtifact => ({
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

test("another source replaces the files, another path moves them", async () => {
  const { manager, reports, until } = open();
  manager.want([request()]);
  await until(({ is }) => is === "ready");
  reports.length = 0;
  manager.want([request({ source: { is: "fetched", uri: "hf://org/repo/config.json" }, path: "/models/moved" })]);
  await until(({ is }) => is === "ready");
  assert.deepEqual(readdirSync(join(root, "models/moved")), ["config.json"]);
  assert.ok(!existsSync(join(root, "models/m")));
});

test("the same files at another path are not fetched again", async () => {
  const { manager, reports, until } = open();
  manager.want([request()]);
  await until(({ is }) => is === "ready");
  await manager.settled();
  const { served } = hub;
  reports.length = 0;
  manager.want([request({ path: "/models/moved" })]);
  await until(({ is }) => is === "ready");
  await manager.settled();
  assert.equal(hub.served, served);
  assert.deepEqual(readdirSync(join(root, "models")), ["moved"]);
  manager.want([request({ path: "/models/moved/deeper" })]);
  await manager.settled();
  assert.deepEqual(readdirSync(join(root, "models/moved")), ["deeper"]);
});

test("files that are another's too, or are to be kept, stay", async () => {
  const { manager, gone, until } = open();
  const kept = request({ key: "kept", path: "/models/kept", afterwards: "keep" });
  manager.want([request(), request({ key: "twin" }), kept]);
  for (const key of ["m", "twin", "kept"]) await until((report) => report.key === key && report.is === "ready");
  manager.want([request({ key: "twin" })]);
  await manager.settled();
  assert.deepEqual(gone.sort(), ["kept", "m"]);
  assert.ok(existsSync(join(root, "models/m/weights.bin")) && existsSync(join(root, "models/kept/weights.bin")));
});

test("what is on the machine already is read and never removed", async () => {
  mkdirSync(join(root, "there"));
  writeFileSync(join(root, "there/config.json"), '{"model_type":"bert"}');
  const { manager, gone, until } = open();
  manager.want([
    request({ source: { is: "present" }, path: "/there" }),
    request({ key: "missing", source: { is: "present" }, path: "/nowhere" }),
    request({ key: "vendor", source: { is: "elsewhere" } }),
    request({ key: "odd", source: { is: "refused", why: "no such scheme" } }),
  ]);
  const ready = await until((report) => report.key === "m" && report.is === "ready");
  assert.ok(ready.is === "ready" && ready.read?.config?.model_type === "bert");
  const failed = await until((report) => report.key === "missing" && report.is === "failed");
  assert.ok(failed.is === "failed" && /not found on this node/.test(failed.why));
  await until((report) => report.key === "vendor" && report.is === "ready");
  await until((report) => report.key === "odd" && report.is === "failed");
  await manager.settled();
  manager.want([request({ source: { is: "present" }, path: "/there" }), request({ key: "over", path: "/there" })]);
  const over = await until((report) => report.key === "over" && report.is === "failed");
  assert.ok(
    over.is === "failed" && /m for other files in \/there/.test(over.why),
    "nothing is put among a person's files",
  );
  await manager.settled();
  manager.want([]);
  await manager.settled();
  assert.equal(gone.length, 5);
  assert.ok(existsSync(join(root, "there/config.json")));
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

test("two that want other files in one folder: the first has it, the other is told whose it is and gets it when that one goes", async () => {
  const { manager, gone, until, reports } = open();
  const other = request({ key: "other", source: { is: "fetched", uri: "hf://org/repo/config.json" } });
  const inside = request({
    key: "inside",
    path: "/models/m/inside",
    source: { is: "fetched", uri: "hf://org/repo@main" },
  });
  manager.want([request()]);
  await until(({ is }) => is === "ready");
  manager.want([request(), other, inside]);
  for (const key of ["other", "inside"]) {
    const failed = await until((report) => report.key === key && report.is === "failed");
    assert.ok(failed.is === "failed" && /m for other files in \/models\/m; change storage.path/.test(failed.why));
  }
  await manager.settled();
  assert.deepEqual(readdirSync(join(root, "models/m")).sort(), ["config.json", "weights.bin"]);
  reports.length = 0;
  manager.want([other]);
  await until((report) => report.key === "other" && report.is === "ready");
  assert.deepEqual(readdirSync(join(root, "models/m")), ["config.json"]);
  await manager.settled();
  assert.deepEqual(gone.sort(), ["inside", "m"]);
});

test("a keeper that comes after clears away what nobody wants any more, and what a wish was before it changed", async () => {
  const first = open();
  first.manager.want([request(), request({ key: "moved", path: "/models/old" })]);
  for (const key of ["m", "moved"]) await first.until((report) => report.key === key && report.is === "ready");
  await first.manager.stop();
  const second = open();
  second.manager.want([], "keep");
  await second.manager.settled();
  assert.ok(existsSync(join(root, "models/m/weights.bin")), "what is not known yet is not unwanted");
  second.manager.want([request({ key: "moved", path: "/models/new" })]);
  second.manager.want([request({ key: "moved", path: "/models/new" })]);
  await second.until((report) => report.key === "moved" && report.is === "ready");
  await second.manager.settled();
  assert.deepEqual(readdirSync(join(root, "models")), ["new"]);
  assert.deepEqual(second.gone, ["m"]);
  second.manager.want([]);
  await second.manager.settled();
  assert.deepEqual(readdirSync(join(root, "store/blobs/sha256")), []);
  assert.equal(readFileSync(join(root, "store/holdings.json"), "utf8").trim(), "{}");
});

test("what came of a download that was taken back goes too", async () => {
  hub.stopAfter = 1;
  const { manager, until, gone } = open();
  manager.want([request()]);
  await until((report) => report.is === "updating");
  await hub.untilStopped();
  manager.want([]);
  await manager.settled();
  assert.deepEqual(gone, ["m"]);
  assert.deepEqual(readdirSync(join(root, "store/partial")), []);
  assert.deepEqual(readdirSync(join(root, "store/models")), []);
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

test("weights that are one archive are shown unpacked, also after somebody took them away, and go with it", async () => {
  // What `zip` makes of one stored file, by hand.
  const [name, body] = [Buffer.from("adapter_config.json"), Buffer.from('{"peft_type":"LORA","r":8}')];
  const numbers = (list: readonly (readonly [number, 2 | 4])[]): Buffer =>
    Buffer.concat(
      list.map(([value, size]) => Buffer.from(Uint8Array.from({ length: size }, (_, at) => value >>> (8 * at)))),
    );
  const facts = [
    [0, 4],
    [crc32(body), 4],
    [body.length, 4],
    [body.length, 4],
    [name.length, 2],
    [0, 2],
  ] as const;
  const local = Buffer.concat([numbers([[0x04034b50, 4], [20, 2], [0, 2], [0, 2], ...facts]), name, body]);
  const listed = numbers([
    [0x02014b50, 4],
    [20, 2],
    [20, 2],
    [0, 2],
    [0, 2],
    ...facts,
    [0, 2],
    [0, 2],
    [0, 2],
    [0, 4],
    [0, 4],
  ]);
  const list = Buffer.concat([listed, name]);
  const end = numbers([
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [1, 2],
    [1, 2],
    [list.length, 4],
    [local.length, 4],
    [0, 2],
  ]);
  hub.files.set("poet", { content: Buffer.concat([local, list, end]), isLarge: true });
  const poet = request({ source: { is: "fetched", uri: "hf://org/repo/poet" }, unpacking: "zip" });
  const first = open();
  first.manager.want([poet]);
  const ready = await first.until(({ is }) => is === "ready");
  assert.deepEqual(ready.is === "ready" && ready.read?.adapter, { peft_type: "LORA", r: 8 });
  await first.manager.stop();
  rmSync(join(root, "models/m"), { recursive: true });
  const second = open();
  second.manager.want([poet]);
  await second.until(({ is }) => is === "ready");
  assert.deepEqual(states(second.reports), ["ready"]);
  assert.equal(readFileSync(join(root, "models/m/adapter_config.json"), "utf8"), body.toString());
  second.manager.want([]);
  await second.manager.settled();
  assert.deepEqual(readdirSync(join(root, "models")), []);
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
