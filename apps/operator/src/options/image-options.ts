import { defaultRegistry, ownImage } from "@trivium/domain";
import { type Command, InvalidArgumentError } from "commander";

/** Where the images come from that emitted pods run and that are Trivium's own. */
interface Flags {
  readonly imageRegistry: string;
  readonly weightsImage?: string;
}

export function addImageOptions(command: Command): Command {
  return command
    .option("--image-registry <prefix>", "registry and path of Trivium's own images", registry, defaultRegistry)
    .option(
      "--weights-image <image>",
      "image with trivium-weights, which downloads and verifies weights (default: trivium-weights in --image-registry)",
    );
}

export const imagesOf = ({ imageRegistry, weightsImage }: Flags) => ({
  weightsImage: weightsImage ?? ownImage("weights", imageRegistry),
});

function registry(text: string): string {
  const prefix = text.replace(/\/+$/, "");
  if (!/^[a-z0-9][a-z0-9.-]*(?::\d{1,5})?(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*$/i.test(prefix))
    throw new InvalidArgumentError("Expected a registry with an optional path, such as registry.example.com/ml");
  return prefix;
}
