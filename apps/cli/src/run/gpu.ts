import type { PortableService } from "@trivium/domain";
import { formatMemory } from "@trivium/engines";
import { type KubeClient, Node, Pod } from "@trivium/kube";
import { findGpus, findRunning, installedBuilds } from "@trivium/local";
import { type GpuOffer, offerGpu } from "@trivium/node";
import { fitOnThisMachine, type Sized } from "../models/memory.ts";
import { connect } from "./connect.ts";

export interface ChosenGpu {
  /** For people: what is used, or why no GPU is. */
  readonly line?: string;
  readonly bytes?: number;
  readonly request?: Pick<PortableService, "gpuCount" | "gpuResource">;
}

interface GpuInput {
  readonly home: string;
  readonly context: number | undefined;
  /** Name of the service: what it uses already is not in its way. */
  readonly name: string;
}

/** The GPU that a service requests: one that an installed build of the engine can use, that is free, and that the model fits on. */
export async function chooseGpu(model: Sized, { home, context, name }: GpuInput): Promise<ChosenGpu> {
  const offer = offerGpu(await findGpus(), installedBuilds(home));
  if (offer.is === "none") return {};
  const { product, memoryGiB } = offer.gpu;
  if (offer.is === "unused")
    return { line: `${product} is not used; trivium engine add ${offer.build} installs the engine build for it` };
  const gpuBytes = memoryGiB * 1024 ** 3;
  const fit = fitOnThisMachine(model, { context, gpuBytes });
  if (fit?.fits === "no" || fit?.fits === "partly")
    return {
      line: `${product} is not used: the model needs ${formatMemory(fit.bytes)}, and the GPU has ${formatMemory(gpuBytes)}; choose a smaller quantization or --context`,
    };
  if (await isInUse(offer, { home, name }))
    return {
      line: `${product} is not used: other pods use it; remove one of them, or share it with trivium up --gpu-shares`,
    };
  return {
    line: `${product} (${formatMemory(gpuBytes)}), engine build ${offer.build}`,
    bytes: gpuBytes,
    request: { gpuCount: 1, gpuResource: offer.resource },
  };
}

type Usable = Extract<GpuOffer, { is: "usable" }>;

/** Whether pods of other services have all GPUs of the running control plane. Without one, all are free. */
async function isInUse({ resource }: Usable, { home, name }: Pick<GpuInput, "home" | "name">): Promise<boolean> {
  const record = findRunning(home);
  if (record === undefined) return false;
  const { transport, client } = await connect(record);
  try {
    return (await countUsed(client, resource, name)) >= (await countOffered(client, resource));
  } finally {
    await transport.close();
  }
}

async function countOffered(client: KubeClient, resource: string): Promise<number> {
  const { items } = await client.list(Node);
  return items.reduce((sum, { status }) => sum + Number(status?.allocatable?.[resource] ?? 0), 0);
}

async function countUsed(client: KubeClient, resource: string, name: string): Promise<number> {
  const { items } = await client.list(Pod);
  return items
    .filter(({ status }) => status?.phase !== "Succeeded" && status?.phase !== "Failed")
    .filter(({ metadata }) => !Object.values(metadata.labels ?? {}).includes(name))
    .flatMap(({ spec }) => spec?.containers ?? [])
    .reduce((sum, { resources }) => sum + Number(resources?.limits?.[resource] ?? 0), 0);
}
