import { WeightsError } from "../fault.ts";
import type { Listing } from "../sources/source.ts";
import { showUri } from "../sources/uri.ts";

/** The digest a user gives is for one file. Where the source names one too and it differs, there is no point in fetching. */
export function withDigest(listing: Listing, sha256: string, uri: string): Listing {
  const [file, ...more] = listing.files;
  const hex = parseSha256(sha256);
  if (file === undefined || more.length > 0) {
    const message = `${showUri(uri)}: --sha256 is for one file and this has ${listing.files.length}; name one or use --include`;
    throw new WeightsError("refused", "InvalidOption", message);
  }
  if (file.digest?.algorithm === "sha256" && file.digest.hex !== hex) {
    throw new WeightsError(
      "mismatch",
      "DigestMismatch",
      `${file.shownAs}: expected sha256 ${hex}, found ${file.digest.hex} in the source's listing`,
    );
  }
  return { pinned: `${listing.pinned}#${hex}`, files: [expecting(file, hex)] };
}

export function parseSha256(text: string): string {
  const hex = text.replace(/^sha256:/, "").toLowerCase();
  if (/^[0-9a-f]{64}$/.test(hex)) return hex;
  throw new WeightsError("refused", "InvalidOption", "--sha256: expected 64 hex digits");
}

function expecting(file: Listing["files"][number], hex: string): Listing["files"][number] {
  const { relist } = file;
  return {
    ...file,
    digest: { algorithm: "sha256", hex },
    ...(relist === undefined ? {} : { relist: async () => expecting(await relist(), hex) }),
  };
}
