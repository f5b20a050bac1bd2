import type {
  AttentionGroup,
  Fits,
  MemoryPool,
  MemoryShare,
  MemoryTerm,
  ServingStyle,
  SizingAnswer,
  SizingRequest,
} from "@trivium/domain";
import { adapterBytes } from "./adapters.ts";
import { cacheOf } from "./cache.ts";
import { computeBytes } from "./compute.ts";
import { faultOfSplit, kvShare } from "./split.ts";
import { copiedTable, layersOf, weightsOnDevice, weightsOnHost } from "./weights.ts";

/** Without a description of the model its cache is taken to be this part of the weights. */
const cachePart = 0.2;

/** What serving a model like this takes, on each device and on the processor, and whether it is there. */
export function planMemory(request: SizingRequest): SizingAnswer {
  const fault = faultOfRequest(request);
  if (fault !== undefined) return { is: "impossible", why: fault };
  const layers = layersOf(request.model);
  const hasDevices = request.memory.devices.length > 0;
  const onDevices = hasDevices ? Math.min(request.deviceLayers ?? layers, layers) : 0;
  const shares: MemoryShare[] = [];
  if (hasDevices) shares.push(deviceShare(request, onDevices));
  if (onDevices < layers) shares.push(hostShare(request, onDevices));
  const bytes = shares.reduce((sum, share) => sum + share.bytes * share.times, 0);
  return { is: "sized", fits: outcome(shares), shares, bytes };
}

function faultOfRequest({ context, slots, split, memory, model, deviceLayers }: SizingRequest): string | undefined {
  if (!(context >= 1) || !(slots >= 1)) return "the context must have at least 1 token and at least 1 sequence";
  if (deviceLayers !== undefined && !(deviceLayers >= 0)) return "the number of layers on devices must not be negative";
  const wanted = split.tensor * split.pipeline;
  const there = memory.devices.length;
  if (there > 0 && wanted > there) return `${wanted} devices are requested, but only ${there} available`;
  return faultOfSplit(split, model.shape);
}

function deviceShare(request: SizingRequest, onDevices: number): MemoryShare {
  const { model, split, style, memory } = request;
  const layers = layersOf(model);
  const smallest = Math.min(...memory.devices.map(({ bytes }) => bytes));
  const weights = weightsOnDevice(request, onDevices);
  // The fullest stage: its layers are at most the even part, rounded up.
  const part = onDevices === 0 ? 0 : Math.ceil(onDevices / split.pipeline) / layers;
  const short = hasShortHeads(request);
  const onGpu: SizingRequest = short ? { ...request, style: { ...style, attention: "matrix" } } : request;
  const libraries = short ? (style.flashHeads?.libraryBytes ?? 0) : 0;
  const terms: MemoryTerm[] = [
    { what: "weights", ...weights },
    ...cacheTerms(request, part),
    ...besides(onGpu, part),
    { what: "compute", bytes: copiedTable(model, onDevices, style), how: "table of the output, copied for each batch" },
    { what: "reserve", bytes: libraries + reserveOn(smallest, style), how: `${style.name} on each device` },
  ];
  return share("device", terms, {
    times: split.tensor * split.pipeline,
    available: Math.floor(smallest * style.usable),
  });
}

function hasShortHeads({ model, style }: SizingRequest): boolean {
  const shortest = style.flashHeads?.shortest ?? 0;
  return (model.shape?.attention ?? []).some((group) => "keyLength" in group && group.keyLength < shortest);
}

/** From this size on, a card is one of a data centre: measured on one of 140Gi, the driver keeps this much more there. */
const largeCard = 64 * 1024 ** 3;
const largeDriverBytes = 275 * 1024 ** 2;

/** Engines that leave a part of the card free have room for the driver in it. */
const reserveOn = (card: number, { reserveBytes, attention, usable }: ServingStyle): number =>
  card >= largeCard && usable === 1 && attention === "flash" ? reserveBytes + largeDriverBytes : reserveBytes;

function hostShare(request: SizingRequest, onDevices: number): MemoryShare {
  const { model, style, memory } = request;
  const part = 1 - onDevices / layersOf(model);
  const alone: SizingRequest = { ...request, split: { tensor: 1, pipeline: 1 } };
  const isOnly = memory.devices.length === 0;
  const terms: MemoryTerm[] = [
    { what: "weights", ...weightsOnHost(model, onDevices) },
    ...cacheTerms(alone, part),
    ...besides(alone, part),
    ...(isOnly ? [{ what: "reserve" as const, bytes: style.reserveBytes, how: style.name }] : []),
  ];
  return share("host", terms, { times: 1, available: memory.host?.bytes });
}

function cacheTerms(request: SizingRequest, part: number): MemoryTerm[] {
  const { shape, weightBytes } = request.model;
  if (part === 0) return [];
  if (shape === undefined) {
    const bytes = Math.ceil(weightBytes * cachePart * part);
    return [{ what: "cache", bytes, how: `the model is not described: ${cachePart} × its weights` }];
  }
  return shape.attention.map((group) => {
    const layers = Math.min(group.layers, Math.ceil(group.layers * part));
    const here: AttentionGroup = { ...group, layers };
    const heads = "kvHeads" in group ? kvShare(group.kvHeads, request.split.tensor) : 1;
    return { what: group.kind === "recurrent" ? "state" : "cache", ...cacheOf(here, request, heads) };
  });
}

function besides(request: SizingRequest, part: number): MemoryTerm[] {
  const { shape } = request.model;
  if (shape === undefined || part === 0) return [];
  const terms: MemoryTerm[] = [{ what: "compute", ...computeBytes(request, shape) }];
  if (request.adapters === undefined || request.adapters.length === 0) return terms;
  const whole = adapterBytes(request.adapters, shape);
  const bytes = Math.ceil((whole.bytes * part) / request.split.tensor);
  return [{ what: "adapters", bytes, how: whole.how }, ...terms];
}

interface Where {
  readonly times: number;
  readonly available: MemoryPool["bytes"] | undefined;
}

function share(place: MemoryShare["place"], terms: readonly MemoryTerm[], { times, available }: Where): MemoryShare {
  const counted = terms.filter(({ bytes }) => bytes > 0);
  const bytes = counted.reduce((sum, term) => sum + term.bytes, 0);
  return { place, times, terms: counted, bytes, ...(available === undefined ? {} : { available }) };
}

function outcome(shares: readonly MemoryShare[]): Fits {
  if (shares.some(({ bytes, available }) => available !== undefined && bytes > available)) return "no";
  return shares.every(({ available }) => available !== undefined) ? "yes" : "unknown";
}
