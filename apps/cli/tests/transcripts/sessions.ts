import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { ownAddress, startModelServer } from "./model-server.ts";
import { keptTranscript, recordTranscript } from "./transcript.ts";
import { seedEndpoint, seedWorld } from "./world.ts";

/** What is recorded on a server, in this order: every command prints the same on each kind of server. */
export async function playCommands(t: TestContext, kubeconfig: string): Promise<void> {
  await seedWorld(kubeconfig);
  await t.test("every command", async () => {
    const recorded = await recordTranscript("commands", kubeconfig);
    assert.equal(recorded, keptTranscript("commands", recorded));
  });
  await t.test("chat and complete, through the API server", async (t) => {
    if (ownAddress === undefined) return t.skip("this machine has no network address besides the loopback");
    const model = await startModelServer(ownAddress);
    t.after(() => model.close());
    await seedEndpoint(kubeconfig, model);
    const recorded = await recordTranscript("conversation", kubeconfig);
    assert.equal(recorded, keptTranscript("conversation", recorded));
  });
}
