import { writeSync } from "node:fs";
import { type Addon, BuildFailure, loadAddon } from "./addon.ts";

/**
 * What `--list-devices` prints: the GPUs that this build can compute on, in the form of llama-server. With a model, a few of its
 * tokens are computed first: a driver that is too old shows only then.
 */
export async function describeDevices(build: string | undefined, trialModel: string | undefined): Promise<string> {
  const addon = await loadAddon((line) => writeSync(2, `E ${line}\n`), build);
  const names = addon?.getGpuDeviceInfo().deviceNames ?? [];
  if (addon === undefined || names.length === 0) return "Available devices:\n  (none)";
  const { total, used } = addon.getGpuVramInfo();
  if (trialModel !== undefined) await compute(addon, trialModel);
  // Native code tells the memory of all devices together.
  const memory = `${mebibytes(total)} MiB, ${mebibytes(total - used)} MiB free`;
  const kind = String(addon.getGpuType()).toUpperCase();
  const lines = names.map((name, index) => `  ${kind}${index}: ${name}${names.length === 1 ? ` (${memory})` : ""}`);
  return ["Available devices:", ...lines, ...(names.length === 1 ? [] : [`  together: ${memory}`])].join("\n");
}

async function compute(addon: Addon, path: string): Promise<void> {
  const model = new addon.AddonModel(path, { gpuLayers: 999, addonExports: addon });
  if (!(await model.init())) throw new BuildFailure(`cannot load ${path} on the GPU; check its free memory`);
  const sizes = { contextSize: 64, batchSize: 64, sequences: 1, threads: 1 };
  const context = new addon.AddonContext(model, { ...sizes, flashAttention: "auto" });
  if (!(await context.init())) throw new BuildFailure("cannot reserve memory of the GPU; check its free memory");
  const tokens = model.tokenize("What is this?", false);
  context.initBatch(tokens.length);
  context.addToBatch(0, 0, tokens, Uint32Array.of(tokens.length - 1));
  await context.decodeBatch();
}

const mebibytes = (bytes: number): number => Math.round(bytes / 1024 ** 2);
