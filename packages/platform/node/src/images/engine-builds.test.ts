import assert from "node:assert/strict";
import { test } from "node:test";
import { machine } from "../../tests/imagined-machine.ts";
import { chooseBuild, offerGpu, requestedAccelerators } from "./engine-builds.ts";
import { knownRows, planImage } from "./image-table.ts";

const cuda = { name: "cuda", env: { TRIVIUM_ENGINE_BUILD: "/builds/cuda" } } as const;
const vulkan = { name: "vulkan", env: { TRIVIUM_ENGINE_BUILD: "/builds/vulkan" } } as const;

test("a container gets the fastest build for its cards", () => {
  assert.deepEqual(chooseBuild(["nvidia.com/gpu"], [vulkan, cuda]), { is: "chosen", env: cuda.env });
  assert.deepEqual(chooseBuild(["nvidia.com/gpu"], [vulkan]), { is: "chosen", env: vulkan.env });
  assert.deepEqual(chooseBuild(["amd.com/gpu"], [cuda, vulkan]), { is: "chosen", env: vulkan.env });
  assert.deepEqual(chooseBuild([], [cuda]), { is: "chosen", env: {} });
});

test("a request is a positive number of a known resource", () => {
  const limits = { "nvidia.com/gpu": "1", "amd.com/gpu": "0", cpu: "2", "example.com/fpga": "1" };
  assert.deepEqual(requestedAccelerators(limits), ["nvidia.com/gpu"]);
  assert.deepEqual(requestedAccelerators(undefined), []);
});

test("a container that requests a GPU does not start on the processor", async () => {
  const call = { command: [], args: ["-m", "/v/x.gguf"], env: new Map(), secrets: new Set<string>() };
  const accelerators = ["nvidia.com/gpu"];
  for (const image of ["ghcr.io/ggml-org/llama.cpp:server-cuda", "vllm/vllm-openai:v0.9"]) {
    const args = image.startsWith("vllm") ? ["--model", "/v/x.gguf"] : call.args;
    const found = await planImage(knownRows, { ...call, args, image, accelerators }, machine());
    assert.equal(found.is, "lacking");
    assert.match(JSON.stringify(found), /has no build for that, which trivium engine add cuda installs/);
    const withBuild = { ...machine(), programs: { ...machine().programs, engineBuilds: () => [cuda] } };
    const runs = await planImage(knownRows, { ...call, args, image, accelerators }, withBuild);
    assert.equal(runs.is === "runs" && runs.env?.TRIVIUM_ENGINE_BUILD, "/builds/cuda");
  }
});

test("the largest GPU that a build can use is offered, else the build that is missing", () => {
  const small = { vendor: "nvidia", product: "NVIDIA-T4", count: 1, memoryGiB: 16 } as const;
  const large = { vendor: "amd", product: "AMD_Instinct_MI300X", count: 2, memoryGiB: 192 } as const;
  assert.deepEqual(offerGpu([], [cuda]), { is: "none" });
  assert.deepEqual(offerGpu([small], [cuda]), { is: "usable", gpu: small, resource: "nvidia.com/gpu", build: "cuda" });
  assert.deepEqual(offerGpu([small, large], [cuda]), {
    is: "usable",
    gpu: small,
    resource: "nvidia.com/gpu",
    build: "cuda",
  });
  assert.deepEqual(offerGpu([small, large], [cuda, vulkan]), {
    is: "usable",
    gpu: large,
    resource: "amd.com/gpu",
    build: "vulkan",
  });
  assert.deepEqual(offerGpu([small, large], []), { is: "unused", gpu: large, build: "vulkan" });
});
