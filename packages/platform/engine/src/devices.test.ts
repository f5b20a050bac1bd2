import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { buildFailureText, loadAddon } from "./addon.ts";
import { describeDevices } from "./devices.ts";

test("what a GPU build lacks is named with the way to it", () => {
  const missing = (library: string): string =>
    buildFailureText("/b", `${library}: cannot open shared object file: No such file or directory`);
  assert.match(
    missing("libcudart.so.13"),
    /libcudart.so.13 not found; install the libraries cudart and cublas of CUDA 13$/,
  );
  assert.match(missing("libcuda.so.1"), /libcuda.so.1 not found; install the driver of the GPU$/);
  assert.match(missing("libvulkan.so.1"), /install the Vulkan loader \(libvulkan1\)$/);
  assert.match(missing("libgomp.so.1"), /install the package that has this library$/);
  assert.match(buildFailureText("/b", "it found no GPU"), /it found no GPU; run trivium engine ls/);
});

test("a build that is asked for and cannot be loaded is a failure, not the processor", async () => {
  const folder = mkdtempSync(join(tmpdir(), "build-"));
  try {
    await assert.rejects(
      loadAddon(() => undefined, folder),
      /cannot load the GPU build of the engine in .*llama-addon.node/,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the build for the processor lists no GPU", async () => {
  assert.equal(await describeDevices(undefined, undefined), "Available devices:\n  (none)");
});
