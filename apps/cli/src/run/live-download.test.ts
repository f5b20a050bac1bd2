import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyObject } from "@trivium/kube";
import { fartherOf, preparingIn } from "./live-download.ts";

const pod = (name: string, state: object): AnyObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  status: { initContainerStatuses: [{ name: "model-downloader", state }], containerStatuses: [] } as never,
});

test("logs are read of containers that prepare a pod now, not of those that wait or have ended", () => {
  const objects = [
    pod("chat-a", { running: { startedAt: "2026-01-01T00:00:00Z" } }),
    pod("chat-b", { terminated: { exitCode: 0 } }),
    pod("chat-c", { waiting: { reason: "PodInitializing" } }),
    { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "chat" } },
  ];
  assert.deepEqual(preparingIn(objects), [{ pod: "chat-a", container: "model-downloader" }]);
});

test("a bar never goes back to what an older status says", () => {
  const [status, log] = [{ bytesDone: 5 }, { bytesDone: 9 }];
  assert.equal(fartherOf(status, log), log);
  assert.equal(fartherOf(log, status), log);
  assert.equal(fartherOf(undefined, log), log);
  assert.equal(fartherOf(status, undefined), status);
  assert.equal(fartherOf(undefined, undefined), undefined);
});
