import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openStore, StoreRefused } from "../../src/store/index.ts";
import { put, temporaryDirectory } from "./fixture.ts";

/** A directory on a disk of its own of one megabyte, or nothing where this machine does not let us mount it. */
function smallDisk(t: TestContext): string | undefined {
  const disk = mkdtempSync(join(tmpdir(), "trivium-full-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], { stdio: "ignore" });
  } catch {
    rmSync(disk, { recursive: true });
    t.skip("this machine does not let us mount a small disk");
    return undefined;
  }
  t.after(() => {
    execFileSync("umount", ["-l", disk]);
    rmSync(disk, { recursive: true });
  });
  return disk;
}

function fillUp(disk: string): void {
  for (const size of [4096, 1]) {
    try {
      for (;;) writeFileSync(join(disk, "ballast"), Buffer.alloc(size), { flag: "a" });
    } catch {
      // What fits is in.
    }
  }
}

async function assertFull(directory: string): Promise<void> {
  await assert.rejects(openStore({ directory }), (error: unknown) => {
    assert.ok(error instanceof StoreRefused);
    assert.equal(error.reason, "unwritable");
    assert.match(error.message, /no space left on its disk; free some space, or choose another directory$/);
    return true;
  });
}

test("a full disk is not taken for a damaged store, and the store opens when there is room", async (t) => {
  const disk = smallDisk(t);
  if (disk === undefined) return;
  const living = temporaryDirectory(t);
  const written = await openStore({ directory: living });
  for (let i = 0; i < 10; i++) await put(written, `a/${i}`, { spec: `filling-${i}` });
  for (const file of ["store.db", "store.db-wal"]) copyFileSync(join(living, file), join(disk, file));
  await written.close();
  fillUp(disk);
  await assertFull(disk);
  rmSync(join(disk, "ballast"));
  const store = await openStore({ directory: disk });
  assert.equal(store.count("pods"), 10);
  await store.close();
});

test("a store that cannot be created for want of space says so", async (t) => {
  const disk = smallDisk(t);
  if (disk === undefined) return;
  fillUp(disk);
  await assertFull(disk);
});
