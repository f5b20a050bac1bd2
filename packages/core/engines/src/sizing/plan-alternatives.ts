import type { CacheType, SizingAnswer, SizingRequest } from "@trivium/domain";
import { planMemory } from "./plan-memory.ts";
import { layersOf } from "./weights.ts";

/** One change that makes a model fit, and what it then takes. */
export interface Alternative {
  readonly change: "context" | "slots" | "cache" | "quantization" | "layers" | "devices";
  /** For a person, such as `a context of 16384 tokens`. */
  readonly words: string;
  readonly request: SizingRequest;
  readonly answer: SizingAnswer;
}

/** Smaller caches, largest first. */
const cacheLadder: readonly CacheType[] = ["q8_0", "q5_1", "q4_0"];

/** Bits of a weight in files of these types, scales included, as they come out for models of usual size. */
const quantizationLadder: readonly (readonly [name: string, bits: number])[] = [
  ["Q8_0", 8.5],
  ["Q6_K", 6.56],
  ["Q5_K_M", 5.69],
  ["Q4_K_M", 4.85],
  ["Q3_K_M", 3.91],
  ["Q2_K", 3.35],
];

const contextStep = 256;
const maxDevices = 16;

/** What would fit, when the request does not: each way alone, as little changed as possible. Nothing when it fits. */
export function planAlternatives(request: SizingRequest): readonly Alternative[] {
  const answer = planMemory(request);
  if (answer.is === "sized" && answer.fits !== "no") return [];
  const ways = [fewerTokens, fewerSlots, smallerCache, smallerWeights, fewerLayers, moreDevices];
  return ways.map((way) => way(request)).filter((found) => found !== undefined);
}

function fewerTokens(request: SizingRequest): Alternative | undefined {
  const steps = Math.floor((request.context - 1) / contextStep);
  const found = largest(steps, (step) => ({ ...request, context: step * contextStep }));
  return found && { change: "context", words: `a context of ${found.request.context} tokens`, ...found };
}

function fewerSlots(request: SizingRequest): Alternative | undefined {
  const found = largest(request.slots - 1, (slots) => ({ ...request, slots }));
  return found && { change: "slots", words: `${found.request.slots} parallel sequences`, ...found };
}

function smallerCache(request: SizingRequest): Alternative | undefined {
  for (const type of cacheLadder) {
    const found = fitting({ ...request, cache: { key: type, value: type } });
    if (found !== undefined) return { change: "cache", words: `a KV cache of type ${type}`, ...found };
  }
  return undefined;
}

function smallerWeights(request: SizingRequest): Alternative | undefined {
  const { model } = request;
  if (model.parameters === undefined || model.parameters === 0) return undefined;
  const bitsNow = (model.weightBytes * 8) / model.parameters;
  for (const [name, bits] of quantizationLadder) {
    if (bits >= bitsNow) continue;
    // Nobody has read the tensors of a file that does not exist yet, so its layers are averages.
    const { tensors: _, ...rest } = model;
    const weightBytes = Math.ceil((model.parameters * bits) / 8);
    const found = fitting({ ...request, model: { ...rest, weightBytes } });
    if (found !== undefined) return { change: "quantization", words: `weights quantized as ${name}`, ...found };
  }
  return undefined;
}

function fewerLayers(request: SizingRequest): Alternative | undefined {
  if (request.memory.devices.length === 0) return undefined;
  const layers = layersOf(request.model);
  const now = Math.min(request.deviceLayers ?? layers, layers);
  const found = largest(now - 1, (deviceLayers) => ({ ...request, deviceLayers }));
  const words = `${found?.request.deviceLayers} of ${layers} layers on GPUs and the rest on the CPU`;
  return found && { change: "layers", words, ...found };
}

/** The most layers that the devices hold, for engines that leave the others to the processor. */
export function planDeviceLayers(request: SizingRequest): number {
  const layers = layersOf(request.model);
  return largest(layers, (deviceLayers) => ({ ...request, deviceLayers }))?.request.deviceLayers ?? 0;
}

function moreDevices(request: SizingRequest): Alternative | undefined {
  const [device] = request.memory.devices;
  if (device === undefined) return undefined;
  const { tensor, pipeline } = request.split;
  for (let more = tensor + 1; more * pipeline <= maxDevices; more++) {
    const devices = Array.from({ length: more * pipeline }, () => device);
    const memory = { ...request.memory, devices };
    const found = fitting({ ...request, split: { tensor: more, pipeline }, memory });
    if (found !== undefined) return { change: "devices", words: `${more * pipeline} GPUs of the same size`, ...found };
  }
  return undefined;
}

interface Found {
  readonly request: SizingRequest;
  readonly answer: SizingAnswer;
}

function fitting(request: SizingRequest): Found | undefined {
  const answer = planMemory(request);
  return answer.is === "sized" && answer.fits !== "no" ? { request, answer } : undefined;
}

/** The largest number up to `most` that fits. Less of anything never takes more, so halving finds it. */
function largest(most: number, make: (count: number) => SizingRequest): Found | undefined {
  let [low, high] = [0, most];
  let best: Found | undefined;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const found = fitting(make(middle));
    if (found === undefined) high = middle - 1;
    else {
      best = found;
      low = middle;
    }
  }
  return best;
}
