import assert from "node:assert/strict";
import { test } from "node:test";
import { refuseWithoutGpu } from "./command.ts";

test("a build is added only where a GPU can use it", () => {
  assert.throws(
    () => refuseWithoutGpu("cuda", [{ vendor: "amd" }]),
    /^Refusal: no NVIDIA GPU found; the cuda build needs one \(--force installs it anyway\)$/,
  );
  assert.throws(() => refuseWithoutGpu("vulkan", []), /no NVIDIA, AMD, or Intel GPU found/);
  refuseWithoutGpu("cuda12", [{ vendor: "nvidia" }]);
  refuseWithoutGpu("vulkan", [{ vendor: "intel" }]);
});
