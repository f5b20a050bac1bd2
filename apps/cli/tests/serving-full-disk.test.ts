import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ask } from "./serving/load.ts";
import { Machine, missingKubectl, until } from "./serving/machine.ts";
import { modelManifest } from "./serving/manifests.ts";

const skip = await missingKubectl();

/** A folder on a disk of its own, or why there is none. */
function smallDisk(t: TestContext, size: string): { path: string } | { missing: string } {
  const path = mkdtempSync(join(tmpdir(), "trivium-small-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", path], { stdio: "ignore" });
  } catch {
    return { missing: "skipped: this machine does not let us mount a small disk" };
  }
  t.after(() => execFileSync("umount", ["-l", path]));
  return { path };
}

function fill(path: string): void {
  const pieces = [1024 * 1024, 4096];
  for (const size of pieces) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(size), { flag: "a" });
    } catch {
      // What fits is in.
    }
  }
}

test("on a full disk pods and claims say why, what runs goes on, and all heals when there is room", { skip }, async (t) => {
  const disk = smallDisk(t, "96m");
  if ("missing" in disk) return t.skip(disk.missing);
  const machine = new Machine(join(disk.path, "home"));
  t.after(() => machine.remove());
  await machine.up();
  await machine.apply(modelManifest({ name: "chat" }));
  await machine.kubectl("rollout", "status", "deploy/chat");
  await machine.apply(claim);
  const said = await until("the claim says why it waits", async () => {
    const text = await machine.kubectl("describe", "pvc", "large");
    return /ProvisioningFailed/.test(text) && text;
  });
  assert.match(said, /asks for 64Mi.*less free: ask for less, or make room|FULL/);
  const ballast = join(disk.path, "ballast");
  fill(ballast);
  assert.equal((await ask(machine.gateway, "chat")).status, 200, "what runs goes on");
  rmSync(ballast);
});

const claim = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: large }
spec:
  accessModes: [ReadWriteOnce]
  resources: { requests: { storage: 640Mi } }
`;
