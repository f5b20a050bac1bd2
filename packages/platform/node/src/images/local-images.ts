import type { Node } from "@trivium/kube";
import { matchesImage } from "./image-pattern.ts";
import type { ImageRow } from "./image-row.ts";
import { describeUnmapped, knownRows } from "./image-table.ts";

/** Patterns of the images that a node without a container engine runs as programs, as JSON: a plan knows by it what cannot start. */
const annotation = "trivium.dev/local-images";

/** What a Node that runs images as programs reports of them; with a container engine it can run any image. */
export function annotateImages(rows: readonly ImageRow[], hasContainers: boolean): Readonly<Record<string, string>> {
  const patterns = hasContainers ? ["*"] : [...rows, ...knownRows].flatMap(({ match }) => match);
  return { [annotation]: JSON.stringify(patterns) };
}

export type LocalImage =
  /** The node pulls images, or does not report what it runs. */
  | { readonly is: "pulled" }
  | { readonly is: "mapped" }
  | { readonly is: "unmapped"; readonly reason: string; readonly message: string };

/** Whether a node runs an image as a local program, in the words that its pods would have. */
export function findLocalImage({ metadata }: Pick<Node, "metadata">, image: string): LocalImage {
  const patterns = readPatterns(metadata.annotations?.[annotation]);
  if (patterns === undefined) return { is: "pulled" };
  if (patterns.some((pattern) => matchesImage(pattern, image))) return { is: "mapped" };
  return { is: "unmapped", reason: "ErrImageNeverPull", message: describeUnmapped(image) };
}

function readPatterns(text = ""): string[] | undefined {
  try {
    const patterns: unknown = JSON.parse(text);
    return Array.isArray(patterns) ? patterns.map(String) : undefined;
  } catch {
    return undefined;
  }
}
