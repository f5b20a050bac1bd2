import manifest from "../../package.json" with { type: "json" };

/** The programs of Trivium that emitted pods run. */
export type OwnProgram = "operator" | "weights" | "node-agent" | "gateway" | "engine";

/** Where the images of a release are, unless an administrator has copied them elsewhere. */
export const defaultRegistry = "ghcr.io/trivium";

/** The image of a program in the version of this build, as `npm run images` names it. */
export function ownImage(program: OwnProgram, registry: string = defaultRegistry): string {
  return `${registry.replace(/\/+$/, "")}/trivium-${program}:${manifest.version}`;
}
