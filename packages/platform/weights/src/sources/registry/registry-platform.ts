import { WeightsError } from "../../fault.ts";

const architectures: Readonly<Record<string, string>> = {
  x64: "amd64",
  arm64: "arm64",
  ppc64: "ppc64le",
  s390x: "s390x",
};

/** This machine as registries name it. Images are for Linux, also where they are only unpacked. */
export function ownPlatform(): string {
  return `linux/${architectures[process.arch] ?? process.arch}`;
}

/** The digest of the manifest of an index that suits a platform. An index that names no platforms is a list of equals. */
export function manifestFor(manifests: readonly unknown[], platform: string, shownAs: string): string {
  const offers = manifests.flatMap((each) => offerOf(each) ?? []);
  const [os, architecture] = platform.split("/");
  const plain = offers.find((offer) => offer.os === undefined);
  const fitting = offers.find((offer) => offer.os === os && offer.architecture === architecture);
  const digest = (fitting ?? plain)?.digest;
  if (digest !== undefined) return digest;
  const names = [...new Set(offers.map((offer) => `${offer.os}/${offer.architecture}`))].join(", ");
  const message = `${shownAs}: available for ${names || "no platform"}, not for ${platform}; select another with --platform`;
  throw new WeightsError("not-found", "NothingMatches", message);
}

interface Offer {
  readonly digest: string;
  readonly os: string | undefined;
  readonly architecture: string | undefined;
}

function offerOf(manifest: unknown): Offer | undefined {
  const { digest, platform } = (manifest ?? {}) as { digest?: unknown; platform?: unknown };
  if (typeof digest !== "string" || !/^sha256:[0-9a-f]{64}$/.test(digest)) return undefined;
  const { os, architecture } = (platform ?? {}) as { os?: unknown; architecture?: unknown };
  // Notes about an image travel in its index as manifests of an unknown platform.
  if (os === "unknown") return undefined;
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  return { digest, os: text(os), architecture: text(architecture) };
}
