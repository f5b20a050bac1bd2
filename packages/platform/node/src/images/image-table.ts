import { parseImageReference } from "@trivium/std";
import { engineRow } from "./engine-row.ts";
import { matchesImage } from "./image-pattern.ts";
import type { ImageCall, ImageMachine, ImagePlan, ImageRow } from "./image-row.ts";
import { loadRow } from "./load-row.ts";
import { modelServerRow } from "./model-server.ts";
import { modelServers } from "./model-servers.ts";
import { pauseRow, redisRow, shellRow } from "./plain-rows.ts";
import { weightsRow } from "./weights-row.ts";

/** The rows that everybody has. The first that matches decides; a user's rows come before them. */
export const knownRows: readonly ImageRow[] = [
  engineRow,
  weightsRow,
  loadRow,
  ...modelServers.map(modelServerRow),
  redisRow,
  pauseRow,
  shellRow,
];

export type ImageResolution =
  | Extract<ImagePlan, { is: "runs" }>
  | { readonly is: "invalid"; readonly message: string }
  /** Nothing here runs it; the message names the image, the advice what to do. */
  | { readonly is: "unknown"; readonly message: string; readonly advice: string }
  /** The local engine could, with something that can be installed. */
  | { readonly is: "lacking"; readonly message: string };

/** How an image runs on this machine. */
export async function planImage(
  rows: readonly ImageRow[],
  call: ImageCall,
  machine: ImageMachine,
): Promise<ImageResolution> {
  const { image } = call;
  if (parseImageReference(image) === undefined) {
    const why = `couldn't parse image name "${image}": invalid reference format`;
    return { is: "invalid", message: `Failed to apply default image tag "${image}": ${why}` };
  }
  const row = rows.find(({ match }) => match.some((pattern) => matchesImage(pattern, image)));
  const plan = await row?.plan(call, machine);
  if (plan?.is === "runs") return plan;
  if (plan?.is === "lacking") return { is: "lacking", message: plan.why };
  const advice =
    "add a rule for it under images in trivium.yaml, or start trivium up with --containers podman or docker";
  return { is: "unknown", message: describeUnmapped(image, plan?.why), advice };
}

/** Why an image that nothing here runs cannot start. */
export const describeUnmapped = (image: string, why = "no rule maps it to a local program"): string =>
  `image "${image}" cannot run as a local process: ${why}`;
