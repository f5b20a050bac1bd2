import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { isHeldToFileRights } from "@trivium/testkit";
import { download } from "../src/transfer/download.ts";
import { folder, impatient, lookUp, mebibyte, serve, smallDisk } from "./stage.ts";

test("a disk that is too small is seen before the first byte, with the numbers", async (t) => {
  const disk = await smallDisk(t, "size=2m");
  if (disk === undefined) return t.skip("mounting is not allowed here");
  const server = await serve(t, 4 * mebibyte);
  await assert.rejects(download(await lookUp(t, server.url()), join(disk, "m"), impatient), {
    kind: "no-space",
    reason: "NoSpace",
    message: /needs 4194304 more bytes but only \d+ are free/,
  });
  assert.equal(server.gets, 0);
});

test("a disk that fills up on the way says so, and the download goes on when there is room", async (t) => {
  const disk = await smallDisk(t, "size=3m");
  if (disk === undefined) return t.skip("mounting is not allowed here");
  const server = await serve(t, 4 * mebibyte);
  const file = await lookUp(t, server.url());
  // Without a length in the listing nothing can be known before.
  const { size: _, ...blind } = file;
  await assert.rejects(download(blind, join(disk, "m"), impatient), {
    kind: "no-space",
    message: /completed parts are kept/,
  });
  spawnSync("mount", ["-o", "remount,size=8m", disk]);
  const report = await download(blind, join(disk, "m"), impatient);
  assert.ok(report.resumed > mebibyte, `resumed ${report.resumed}`);
  assert.ok((await readFile(join(disk, "m"))).equals(server.content));
});

test("a read-only disk has its own reason", async (t) => {
  const disk = await smallDisk(t, "size=8m,ro");
  if (disk === undefined) return t.skip("mounting is not allowed here");
  const server = await serve(t, mebibyte);
  await assert.rejects(download(await lookUp(t, server.url()), join(disk, "m"), impatient), {
    kind: "not-allowed",
    reason: "ReadOnly",
  });
});

test("a folder we may not write to has its own reason", async (t) => {
  if (!(await isHeldToFileRights(t, import.meta.filename))) return;
  const [server, dir] = [await serve(t, mebibyte), await folder(t)];
  await chmod(dir, 0o500);
  await assert.rejects(download(await lookUp(t, server.url()), join(dir, "m"), impatient), { reason: "AccessDenied" });
});
