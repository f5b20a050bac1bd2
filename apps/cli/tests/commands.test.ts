import { test } from "node:test";
import { startServer } from "./transcripts/server.ts";
import { playCommands } from "./transcripts/sessions.ts";

test("every command on a seeded world prints what the transcript says, on the embedded server", async (t) => {
  const server = await startServer();
  t.after(() => server.close());
  await playCommands(t, server.kubeconfig);
});
