import type { ImageFault } from "@trivium/engines";

/** What keeps an image away, in the words of this dialect: the same for services, caches and templates. */
export const imageReasons = {
  denied: "ImagePullAuthFailure",
  missing: "ImageNotFound",
  invalid: "ImageNotFound",
  unavailable: "ImagePullBackOff",
} as const satisfies Record<ImageFault, string>;
