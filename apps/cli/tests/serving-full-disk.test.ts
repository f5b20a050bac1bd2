import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
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
  for (const size of [64 * 1024 * 1024, 4096]) {
    const piece = Buffer.alloc(size);
    try {
      for (;;) writeFileSync(path, piece, { flag: "a" });
    } catch {
      // What fits is in.
    }
  }
}

test("on a full disk everything says so, what runs goes on, and all heals when there is room", { skip }, async (t) => {
  // Less than a gigabyte free is pressure, and the disk is memory.
  if (freemem() < 4 * 1024 ** 3) return t.skip("skipped: less than 4 GiB of memory are free");
  const disk = smallDisk(t, "1200m");
  if ("missing" in disk) return t.skip(disk.missing);
  const machine = new Machine(join(disk.path, "home"));
  t.after(() => machine.remove());
  await machine.up();
  await machine.apply(modelManifest({ name: "chat" }));
  await machine.kubectl("rollout", "status", "deploy/chat");
  const ballast = join(disk.path, "ballast");
  fill(ballast);

  assert.equal((await ask(machine.gateway, "chat")).status, 200, "what runs goes on");
  await machine.apply(late);
  await until("the pod says why", async () =>
    /Failed to create pod sandbox: .*no space left on device|untolerated taint/.test(
      await machine.kubectl("describe", "pod", "late"),
    ),
  );
  await until("the claim says why", async () =>
    /ProvisioningFailed .*asks for 600Mi and the disk of node \S+ has less free: ask for less, or make room/.test(
      await machine.kubectl("describe", "pvc", "large"),
    ),
  );
  const refusal = await until("the API says why", () => machine.apply(configMap()).then(() => undefined, String));
  assert.match(refusal, /cannot write to the store: .*disk is full; check free space/);

  rmSync(ballast);
  await machine.kubectl("wait", "--for=condition=Ready", "pod/late", "--timeout=60s");
  await machine.kubectl("wait", "--for=jsonpath={.status.phase}=Bound", "pvc/large", "--timeout=60s");
  await machine.apply(configMap());
  assert.equal((await ask(machine.gateway, "chat")).status, 200);
});

const late = `
apiVersion: v1
kind: Pod
metadata: { name: late }
spec:
  terminationGracePeriodSeconds: 1
  containers: [{ name: c, image: busybox, command: [sleep, "1000"] }]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: large }
spec:
  accessModes: [ReadWriteOnce]
  resources: { requests: { storage: 600Mi } }
`;

/** Larger than what is left to be written over in the files of the store, after a few. */
let count = 0;
function configMap(): string {
  count += 1;
  return JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `large-${count}` },
    data: { text: "a".repeat(200_000) },
  });
}
