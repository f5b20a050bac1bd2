import assert from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Pod } from "@trivium/kube";
import { clientOf, type Running, stopAll, temporaryHome, trivium } from "./running.ts";

const demo = join(import.meta.dirname, "../../../examples/models/demo/demo.gguf");

describe("trivium run on a machine with a GPU", () => {
  const folder = temporaryHome();
  const home = join(folder.path, "home");
  const programs = join(folder.path, "bin");
  const environment = {
    TRIVIUM_HOME: home,
    HOME: folder.path,
    KUBECONFIG: "",
    PATH: `${programs}:${process.env.PATH}`,
  };

  /** The tool of the vendor, as far as it is asked. */
  function putGpu(mebibytes: number): void {
    mkdirSync(programs, { recursive: true });
    writeFileSync(join(programs, "nvidia-smi"), `#!/bin/sh\necho 'NVIDIA T4, ${mebibytes}, 0x1EB810DE, 7.5'\n`);
    chmodSync(join(programs, "nvidia-smi"), 0o755);
  }

  /** A build that was tried on this machine: its files and the proof. */
  function putBuild(): void {
    const platform = `${process.platform === "darwin" ? "mac" : process.platform}-${process.arch}`;
    const binaries = `engines/node_modules/@node-llama-cpp/${platform}-cuda/bins/${platform}-cuda`;
    mkdirSync(join(home, binaries), { recursive: true });
    writeFileSync(join(home, binaries, "llama-addon.node"), "");
    writeFileSync(join(home, "engines/cuda.tried"), "");
  }

  async function print(...more: string[]): Promise<{ output: string; errors: string }> {
    const process = trivium(["run", demo, "--print", ...more], environment);
    assert.equal(await process.ended, 0, process.errors());
    return { output: process.output(), errors: process.errors() };
  }

  before(() => putGpu(15_360));
  after(() => {
    stopAll();
    folder.remove();
  });

  it("names the build that is missing, and requests nothing", async () => {
    const { output, errors } = await print();
    assert.match(errors, /^gpu +NVIDIA-T4 is not used; trivium engine add cuda installs the engine build for it$/m);
    assert.doesNotMatch(output, /gpu/i);
  });

  it("requests the GPU in every API where its build is installed", async () => {
    putBuild();
    const requests: Readonly<Record<string, RegExp>> = {
      llmkube: /gpu:\s+enabled: true\s+count: 1/,
      ome: /limits:\s+nvidia\.com\/gpu: "?1/,
      aim: /gpu:\s+requests: 1\s+resourceName: nvidia\.com\/gpu/,
    };
    for (const [api, request] of Object.entries(requests)) {
      const { output, errors } = await print("--as", api);
      assert.match(output, request, api);
      assert.match(errors, /^gpu +NVIDIA-T4 \(15\.0Gi\), engine build cuda$/m);
    }
    assert.doesNotMatch((await print("--no-gpu")).output, /gpu/i);
  });

  it("serves on the processor what does not fit on the GPU", async () => {
    putGpu(64);
    const { output, errors } = await print();
    assert.match(errors, /^gpu +NVIDIA-T4 is not used: the model needs .*, and the GPU has 64\.0Mi; choose a smaller/m);
    assert.doesNotMatch(output, /gpu/i);
    putGpu(15_360);
  });

  it("serves on the processor while other pods use the GPU", async () => {
    const server: Running = trivium(
      ["up", "--no-demo", "--any-port", "--port", "0", "--gateway-port", "0"],
      environment,
    );
    await server.ready();
    assert.match((await print()).output, /gpu:/, "it is free");
    const limits = { "nvidia.com/gpu": "1" };
    const spec = { containers: [{ name: "c", image: "busybox", command: ["sleep", "1000"], resources: { limits } }] };
    const client = await clientOf(home);
    const metadata = { name: "trainer", namespace: "default" };
    await client.create(Pod, { apiVersion: "v1", kind: "Pod", metadata, spec });
    const { output, errors } = await print();
    assert.match(errors, /^gpu +NVIDIA-T4 is not used: other pods use it; remove one of them, or share it with/m);
    assert.doesNotMatch(output, /gpu/i);
    server.process.kill("SIGINT");
    assert.equal(await server.ended, 0, server.errors());
  });
});
