import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { newFolder, startProcessStage, stateOf } from "./process-stage.ts";

function mountSmallDisk(folder: string): string | undefined {
  try {
    mkdirSync(folder, { recursive: true });
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], { stdio: "ignore" });
    return undefined;
  } catch {
    return "this machine does not let us mount a small disk";
  }
}

test("on a full disk a container that prints goes on, its end is known, and one that cannot begin says why", async (t) => {
  const folder = await newFolder();
  const disk = join(folder, "containers");
  const skip = mountSmallDisk(disk);
  if (skip !== undefined) return t.skip(skip);
  t.after(() => execFileSync("umount", ["-l", disk]));
  const stage = await startProcessStage(t, folder);
  await stage.agent();
  const never = { restartPolicy: "Never" } as const;
  await stage.create("prints", "echo first; head -c 9000000 /dev/zero; exit 5", never);
  const pod = await stage.until("prints", ({ status }) => status?.phase === "Failed");
  assert.equal(stateOf(pod)?.state?.terminated?.exitCode, 5);
  assert.equal((await stage.log("prints", { limitBytes: 5 }))[0], "first");
  try {
    writeFileSync(join(disk, "ballast"), Buffer.alloc(4_000_000));
  } catch {
    // What fits is in.
  }
  await stage.create("late", "true", never);
  const late = await stage.until("late", ({ status }) => status?.phase === "Failed");
  const { reason, message } = stateOf(late)?.state?.terminated ?? {};
  assert.deepEqual([reason, message], ["StartError", "no space left on device"]);
  execFileSync("rm", ["-f", join(disk, "ballast")]);
});
