import { WeightsError } from "../fault.ts";
import type { Listing } from "../sources/source.ts";
import { showUri } from "../sources/uri.ts";

/** A digest that a user gives: of the one file there is, or of the one that is named. */
export interface ExpectedDigest {
  readonly sha256: string;
  readonly of?: string | undefined;
}

/** Where the source names a digest too and it differs, there is no point in fetching. */
export function withDigest(listing: Listing, { sha256, of }: ExpectedDigest, uri: string): Listing {
  const hex = parseSha256(sha256);
  const file = fileOf(listing, of, uri);
  if (file.digest?.algorithm === "sha256" && file.digest.hex !== hex) {
    throw new WeightsError(
      "mismatch",
      "DigestMismatch",
      `${file.shownAs}: expected sha256 ${hex}, found ${file.digest.hex} in the source's listing`,
    );
  }
  const files = listing.files.map((each) => (each === file ? expecting(file, hex) : each));
  return { pinned: `${listing.pinned}#${hex}`, files };
}

function fileOf({ files }: Listing, name: string | undefined, uri: string): Listing["files"][number] {
  const [first, ...more] = files;
  const file = name === undefined && more.length === 0 ? first : files.find(({ path }) => path === name);
  if (file !== undefined) return file;
  const why =
    name === undefined
      ? `--sha256 needs one file but the model has ${files.length}; select it with --sha256-of or --include`
      : `--sha256-of ${name}: file not found in the model`;
  throw new WeightsError("refused", "InvalidOption", `${showUri(uri)}: ${why}`);
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
