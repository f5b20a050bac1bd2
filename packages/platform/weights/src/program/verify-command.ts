import { codeOf, diskFault, WeightsError } from "../fault.ts";
import { digestFile } from "../transfer/digest-file.ts";
import { parseSha256 } from "./expected-digest.ts";
import type { Context } from "./fetch-command.ts";

/** Reads one file where it lies and compares its digest: for weights that are mounted and not fetched. */
export async function runVerify(file: string, sha256: string, { reporter, signal }: Context): Promise<void> {
  const wanted = parseSha256(sha256);
  const found = await digestOf(file, signal);
  if (found !== wanted) {
    throw new WeightsError("mismatch", "DigestMismatch", `${file}: expected sha256 ${wanted}, found ${found}`);
  }
  reporter.result({ event: "verified", file, sha256: found }, `${file}: sha256 ${found} matches`);
}

async function digestOf(file: string, signal: AbortSignal): Promise<string> {
  try {
    return await digestFile(file, signal);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR")
      throw new WeightsError("not-found", "NotFound", `${file}: file not found`, { cause: error });
    if (code === "EISDIR") throw new WeightsError("refused", "InvalidOption", `${file}: is a folder; verify one file`);
    throw diskFault(error, file);
  }
}
