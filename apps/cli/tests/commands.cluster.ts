import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startControlPlane } from "../../../tools/cluster/control-plane.ts";
import { keptTranscript, recordTranscript } from "./transcripts/transcript.ts";
import { seedWorld } from "./transcripts/world.ts";

test("every command prints the same on a real control plane", async (t) => {
  const plane = await startControlPlane();
  if (typeof plane === "string") return t.skip(plane);
  const home = mkdtempSync(join(tmpdir(), "trivium-transcript-"));
  t.after(async () => {
    await plane.stop();
    rmSync(home, { recursive: true, force: true });
  });
  await seedWorld(plane.kubeconfig);
  const recorded = await recordTranscript(plane.kubeconfig, home);
  assert.equal(recorded, keptTranscript(recorded));
});
