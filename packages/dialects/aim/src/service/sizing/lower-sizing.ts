import type { SizingIntent } from "@trivium/domain";
import { hasOpenHostMemory, servingStyles } from "@trivium/engines";
import { bytesOf } from "../../storage/claim-size.ts";
import { isRunning, type ObservedService, type ObservedTemplate } from "../observed/observed-service.ts";
import type { ServerInput } from "../roles/server-input.ts";
import { modelIdOf, sourcesOf } from "../weights/sources.ts";
import { isOnProcessors } from "./observe-host.ts";

/** The question whether the model fits where it is to run; nothing where the size of the weights or of the memory is unknown. */
export function lowerSizing(
  { template, resources }: Pick<ServerInput, "template" | "resources">,
  observed: ObservedService,
): SizingIntent | undefined {
  const weightBytes = weightBytesOf(template, observed);
  const { nodeBytes } = observed;
  if (weightBytes === undefined || nodeBytes === undefined || !isOnProcessors(template)) return undefined;
  return {
    request: {
      model: { weightBytes },
      // Nothing describes the model: the engine takes a part of the weights for the cache, whatever the context.
      context: 1,
      slots: 1,
      cache: { key: "f16", value: "f16" },
      split: { tensor: 1, pipeline: 1 },
      style: servingStyles.local,
      memory: { devices: [], host: { name: "the largest node", bytes: nodeBytes } },
    },
    subject: sourcesOf(template).map(modelIdOf).join(" with "),
    field: "spec.resources.requests.memory",
    nodeBytes: hasOpenHostMemory(resources) ? nodeBytes : undefined,
    hasServed: isRunning(observed),
  };
}

/** The sum of all sources; nothing where the size of one is unknown. */
function weightBytesOf(template: ObservedTemplate, { measuredBytes = {} }: ObservedService): number | undefined {
  const sizes = sourcesOf(template).map(({ size, sourceUri }) => {
    const stated = bytesOf(size);
    return stated === undefined ? measuredBytes[sourceUri] : Number(stated);
  });
  return sizes.reduce<number | undefined>(
    (sum, size) => (sum === undefined || size === undefined ? undefined : sum + size),
    0,
  );
}
