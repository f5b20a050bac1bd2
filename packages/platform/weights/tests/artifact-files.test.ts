import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { describeManager, hub, open, request, root, states } from "./artifact-manager-fixture.ts";

describeManager("the files of an artifact manager", () => {
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
});
