import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ask } from "./serving/load.ts";
import { Machine, missingKubectl, until } from "./serving/machine.ts";
import { modelManifest } from "./serving/manifests.ts";

const skip = await missingKubectl();

/** A machine whose pods are kept on a small disk of its own, or why there is none. */
function machineWithSmallDisk(t: TestContext, size: string): Machine | string {
  const machine = new Machine();
  const disk = join(machine.home, "node");
  mkdirSync(disk);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", disk], { stdio: "ignore" });
  } catch {
    rmSync(machine.home, { recursive: true });
    return "skipped: this machine does not let us mount a small disk";
  }
  t.after(async () => {
    await machine.end("SIGINT");
    execFileSync("umount", ["-l", disk]);
    await machine.remove();
  });
  return machine;
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

test("on a full disk pods and claims say so, what runs goes on, and all heals when there is room", {
  skip,
}, async (t) => {
  // Less than a gigabyte free is pressure, and the disk is memory.
  if (freemem() < 4 * 1024 ** 3) return t.skip("skipped: less than 4 GiB of memory are free");
  const machine = machineWithSmallDisk(t, "1200m");
  if (typeof machine === "string") return t.skip(machine);
  await machine.up();
  await machine.apply(modelManifest({ name: "chat" }));
  await machine.kubectl("rollout", "status", "deploy/chat");
  const ballast = join(machine.home, "node", "ballast");
  fill(ballast);

  assert.equal((await ask(machine.gateway, "chat")).status, 200, "what runs goes on");
  await machine.apply(late);
  await until("the pod says why", async () =>
    /Failed to create pod sandbox: .*no space left on device|untolerated taint/.test(
      await machine.kubectl("describe", "pod", "late"),
    ),
  );
  await until("the claim says why", async () =>
    /ProvisioningFailed .*requests 900Ti, but the disk of node \S+ has less free space; request less, or free some/.test(
      await machine.kubectl("describe", "pvc", "large"),
    ),
  );

  rmSync(ballast);
  await machine.kubectl("wait", "--for=condition=Ready", "pod/late", "--timeout=60s");
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
  resources: { requests: { storage: 900Ti } }
`;
