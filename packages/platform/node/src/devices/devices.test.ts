import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeStatusOf } from "../presence/node-object.ts";
import { factsOfAccelerators } from "./accelerators.ts";
import { parseAmdSmi, parseRocmSmi } from "./amd.ts";
import { parseApple } from "./apple.ts";
import { parseNvidia } from "./nvidia.ts";
import { nodeName, observeMachine } from "./observe-machine.ts";
import { pressureOf } from "./pressure.ts";

test("nvidia-smi: cards of one kind are counted, a card that does not answer is left out", () => {
  const output = [
    "NVIDIA H200, 143771, 0x233510DE, 9.0",
    "NVIDIA H200, 143771, 0x233510DE, 9.0",
    "NVIDIA GeForce RTX 4090, 24564, 0x268410DE, 8.9",
    "NVIDIA Broken, [N/A], [N/A], [N/A]",
    "Tesla T4, 15360, 0x1EB810DE, [N/A]",
    "",
  ].join("\n");
  assert.deepEqual(parseNvidia(output), [
    {
      vendor: "nvidia",
      product: "NVIDIA-H200",
      count: 2,
      memoryGiB: 143771 / 1024,
      family: "hopper",
      deviceId: "2335",
      capability: "9.0",
    },
    {
      vendor: "nvidia",
      product: "NVIDIA-GeForce-RTX-4090",
      count: 1,
      memoryGiB: 24564 / 1024,
      family: "ada-lovelace",
      deviceId: "2684",
      capability: "8.9",
    },
    { vendor: "nvidia", product: "Tesla-T4", count: 1, memoryGiB: 15, deviceId: "1eb8" },
  ]);
  for (const none of ["", "No devices were found\n", "NVIDIA-SMI has failed, because it couldn't communicate, x, y"]) {
    assert.deepEqual(parseNvidia(none), []);
  }
});

const mi300x = {
  vendor: "amd",
  product: "AMD_Instinct_MI300X",
  count: 2,
  memoryGiB: 192,
  deviceId: "74a1",
  capability: "gfx942",
};

test("rocm-smi and amd-smi say the same of the same cards", () => {
  const card = {
    "Device Name": "AMD Instinct MI300X",
    "Device ID": "0x74a1",
    "Device Rev": "0x00",
    "VRAM Total Memory (B)": "206141652992",
    "VRAM Total Used Memory (B)": "297791488",
    "Card Series": "AMD Instinct MI300X",
    "Card Model": "0x74a1",
    "GFX Version": "gfx942",
  };
  assert.deepEqual(parseRocmSmi(JSON.stringify({ card0: card, card1: card, system: { "Driver version": "6.10" } })), [
    mi300x,
  ]);
  const entry = (gpu: number, size: unknown) => ({
    gpu,
    asic: { market_name: "AMD Instinct MI300X", device_id: "0x74a1", target_graphics_version: "gfx942" },
    vram: { type: "HBM3", size },
  });
  const [asObject, asText] = [{ value: 196592, unit: "MB" }, "196592 MB"];
  assert.deepEqual(parseAmdSmi(JSON.stringify([entry(0, asObject), entry(1, asText)])), [mi300x]);
  assert.deepEqual(parseAmdSmi(JSON.stringify({ gpu_data: [entry(0, asObject), entry(1, asObject)] })), [mi300x]);
  for (const none of [
    "",
    "{}",
    "[]",
    "null",
    "ERROR: no driver",
    '[{"asic": 7}]',
    '{"card0": {"Card Series": "iGPU", "VRAM Total Memory (B)": "536870912"}}',
  ]) {
    assert.deepEqual([...parseAmdSmi(none), ...parseRocmSmi(none)], [], none);
  }
});

test("system_profiler: Apple's own graphics, with the memory of the machine", () => {
  const output = JSON.stringify({
    SPDisplaysDataType: [
      {
        _name: "Apple M3 Max",
        sppci_model: "Apple M3 Max",
        sppci_cores: "40",
        spdisplays_vendor: "sppci_vendor_Apple",
      },
      { _name: "Radeon", sppci_model: "AMD Radeon Pro 580", spdisplays_vendor: "sppci_vendor_amd" },
    ],
  });
  assert.deepEqual(parseApple(output, 64), [{ vendor: "apple", product: "Apple-M3-Max", count: 1, memoryGiB: 64 }]);
  for (const none of ["", "[]", '{"SPDisplaysDataType": {}}']) assert.deepEqual(parseApple(none, 64), []);
});

test("labels and resources in the forms that operators look for", () => {
  const [h200, rtx] = parseNvidia("NVIDIA H200, 143771, 0x233510DE, 9.0\nNVIDIA RTX A2000, 6138, 0x253110DE, 8.6");
  const { labels, capacity } = factsOfAccelerators([h200, rtx].filter((each) => each !== undefined));
  assert.deepEqual(capacity, { "nvidia.com/gpu": "2" }, "cards of one vendor are one resource");
  assert.deepEqual(
    ["nvidia.com/gpu.product", "nvidia.com/gpu.memory", "nvidia.com/gpu.family", "nvidia.com/gpu.compute.major"].map(
      (key) => labels[key],
    ),
    ["NVIDIA-H200", "143771", "hopper", "9"],
  );
  assert.equal(
    factsOfAccelerators(
      parseRocmSmi(
        JSON.stringify({
          card0: {
            "Card Series": "AMD Instinct MI300X",
            "Device ID": "0x74a1",
            "VRAM Total Memory (B)": "206141652992",
          },
        }),
      ),
    ).labels["amd.com/gpu.vram"],
    "192G",
  );
});

test("this machine as a node", async () => {
  const profile = await observeMachine({ root: import.meta.dirname, name: "here" });
  const status = nodeStatusOf(profile, { scheme: "process", now: 0, before: [] });
  assert.ok(Number(status.capacity?.cpu) >= 1);
  const kibi = (amount: string | number | undefined) => Number(/^(\d+)Ki$/.exec(String(amount))?.[1]);
  for (const resource of ["memory", "ephemeral-storage"]) {
    const [whole, usable] = [kibi(status.capacity?.[resource]), kibi(status.allocatable?.[resource])];
    assert.ok(whole > usable && usable > 0, resource);
  }
  assert.notEqual(status.nodeInfo?.kernelVersion, "");
  assert.deepEqual(["My-Laptop.local", "_x_", "ÄÖ", "a..b"].map(nodeName), ["my-laptop.local", "x", "local", "a.b"]);
});

test("what a machine runs short of shows in its conditions, with the time at which it changed", async () => {
  const root = import.meta.dirname;
  const well = await pressureOf({ root, memory: 0, disk: 0 })();
  assert.deepEqual(well, { memory: false, disk: false, pids: false });
  const pressure = await pressureOf({ root, memory: 0, disk: Number.MAX_SAFE_INTEGER })();
  assert.deepEqual(pressure, { memory: false, disk: true, pids: false });
  const profile = { name: "here", address: "127.0.0.1" };
  const before = nodeStatusOf(profile, { scheme: "process", now: 0, before: [] }).conditions ?? [];
  const { conditions = [] } = nodeStatusOf(profile, { scheme: "process", now: 60_000, before, pressure });
  assert.deepEqual(
    conditions.map(({ type, status, reason, lastTransitionTime }) => [
      type,
      status,
      reason,
      lastTransitionTime?.slice(14, 16),
    ]),
    [
      ["MemoryPressure", "False", "KubeletHasSufficientMemory", "00"],
      ["DiskPressure", "True", "KubeletHasDiskPressure", "01"],
      ["PIDPressure", "False", "KubeletHasSufficientPID", "00"],
      ["Ready", "True", "KubeletReady", "00"],
    ],
  );
});
