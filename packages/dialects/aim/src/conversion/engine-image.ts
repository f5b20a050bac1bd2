import type { PortableEngine, PortableService } from "@trivium/domain";
import { engineOfImage } from "@trivium/engines";
import { parseImageReference } from "@trivium/std";

/** The engine that an image is of, and nothing else. Images of AIM have an engine inside, and choose it themselves. */
export function bareEngineOf(image: string | undefined): Exclude<PortableEngine, "generic"> | undefined {
  if (image === undefined || /(?:^|\/)aim[^/]*$/.test(parseImageReference(image)?.repository ?? image))
    return undefined;
  const engine = engineOfImage(image);
  return engine === "generic" ? undefined : engine;
}

/**
 * The image to write. That of an engine needs arguments for its weights, which this API has no field for: the base image of the operator
 * serves them instead.
 */
export const imageToWrite = ({ image }: Pick<PortableService, "image">): string | undefined =>
  bareEngineOf(image) === undefined ? image : undefined;
