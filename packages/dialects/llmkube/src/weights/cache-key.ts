import { once, sha256Hex } from "@trivium/std";

/** The folder of a source in the cache: of the very text, so that equal texts share it and nothing else does. */
export const cacheKeyOf: (spec: { readonly source: string }) => string = once(({ source }) =>
  sha256Hex(source).slice(0, 16),
);
