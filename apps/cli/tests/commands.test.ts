import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer } from "./transcripts/server.ts";
import { keptTranscript, recordTranscript } from "./transcripts/transcript.ts";
import { seedWorld } from "./transcripts/world.ts";

test("every command on a seeded world prints what the transcript says, on the embedded server", async (t) => {
  const server = await startServer();
  t.after(() => server.close());
  await seedWorld(server.kubeconfig);
  const recorded = await recordTranscript(server.kubeconfig, server.folder);
  assert.equal(recorded, keptTranscript(recorded));
});
