import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "@trivium/kube";
import { refusalsOf } from "./refused-weights.ts";

const digest = "a".repeat(64);
const words = '{"event":"error","reason":"DigestMismatch","message":"m.gguf: expected \\"a\\", found b"}\n';

function pod(sha256: string, exitCode: number, rest: Partial<Pod["metadata"]> = {}): Pod {
  const terminated = { exitCode, reason: "Error", message: words };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", ...rest },
    spec: { initContainers: [{ name: "model-downloader", args: ["fetch", "x", "--sha256", sha256] }], containers: [] },
    status: {
      initContainerStatuses: [
        { name: "model-downloader", image: "i", imageID: "", ready: false, restartCount: 1, state: { terminated } },
      ],
    },
  } as Pod;
}

test("a pod that compared with this digest and found other bytes says so in its own words", () => {
  assert.deepEqual(refusalsOf([pod(digest, 5)], digest), ['Pod p found other bytes: m.gguf: expected "a", found b']);
});

test("pods that were told another digest, failed otherwise, or leave, prove nothing", () => {
  const leaving = pod(digest, 5, { deletionTimestamp: "2026-01-01T00:00:00Z" });
  assert.deepEqual(refusalsOf([pod("b".repeat(64), 5), pod(digest, 3), pod(digest, 0), leaving], digest), []);
});
