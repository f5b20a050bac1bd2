import { test } from "node:test";
import { startControlPlane } from "../../../tools/cluster/control-plane.ts";
import { playCommands } from "./transcripts/sessions.ts";

test("every command prints the same on a real control plane", async (t) => {
  const plane = await startControlPlane();
  if (typeof plane === "string") return t.skip(plane);
  t.after(() => plane.stop());
  await playCommands(t, plane.kubeconfig);
});
