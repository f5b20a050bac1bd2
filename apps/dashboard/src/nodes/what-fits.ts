import type { NodeUse } from "./capacity.ts";

/** A model whose size is known. */
export interface SizedModel {
  readonly name: string;
  readonly bytes: number;
}

export interface NodeFit {
  /** Memory of the GPUs that no pod requests; nothing where a node has none, or their memory is unknown. */
  readonly gpuBytes?: number | undefined;
  /** Memory that no pod requests. */
  readonly hostBytes: number;
  readonly fitting: readonly (SizedModel & { readonly on: "GPU" | "CPU" })[];
  readonly tooLarge: readonly SizedModel[];
}

/** Which models could be loaded on a node beside what runs there, by the size of their weights: GPUs first. */
export function whatFits(node: NodeUse, bytesPerGpu: number | undefined, models: readonly SizedModel[]): NodeFit {
  const [freeGpus, hostBytes] = [node.gpus, node.memory].map(({ used, offered }) => Math.max(0, offered - used));
  const gpuBytes = bytesPerGpu === undefined || node.gpus.offered === 0 ? undefined : bytesPerGpu * (freeGpus ?? 0);
  const place = (bytes: number): "GPU" | "CPU" | undefined => {
    if (gpuBytes !== undefined && bytes <= gpuBytes) return "GPU";
    return bytes <= (hostBytes ?? 0) ? "CPU" : undefined;
  };
  const sorted = models.toSorted((a, b) => b.bytes - a.bytes || a.name.localeCompare(b.name));
  const isOpen = node.isReady && !node.isCordoned;
  return {
    gpuBytes,
    hostBytes: hostBytes ?? 0,
    fitting: sorted.flatMap((one) => {
      const on = isOpen ? place(one.bytes) : undefined;
      return on === undefined ? [] : [{ ...one, on }];
    }),
    tooLarge: sorted.filter(({ bytes }) => !isOpen || place(bytes) === undefined),
  };
}
