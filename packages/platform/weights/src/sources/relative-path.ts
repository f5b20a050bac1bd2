import { faultOfRelativePath } from "@trivium/std";
import { WeightsError } from "../fault.ts";

/** More files than any model has; a listing that goes on for ever ends here. */
export const maxFiles = 20_000;

/**
 * Throws `UnsafePath` unless the path stays inside the folder it will be put in, on every file system: relative, forward
 * slashes, no dot segments, nothing empty, no control characters, of bearable length.
 */
export function checkRelativePath(path: string, owner: string): void {
  const fault = faultOfRelativePath(path);
  if (fault === undefined) return;
  throw new WeightsError(
    "refused",
    "UnsafePath",
    `${owner}: lists the file ${JSON.stringify(path.slice(0, 80))}, which ${fault}`,
  );
}
