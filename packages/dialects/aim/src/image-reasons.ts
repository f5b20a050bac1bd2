import type { Failure, ImageFault } from "@trivium/domain";

/** What keeps an image away, in the words of this dialect: the same for services, caches and templates. */
const imageReasons = {
  denied: "ImagePullAuthFailure",
  missing: "ImageNotFound",
  invalid: "ImageNotFound",
  limited: "ImagePullBackOff",
  untrusted: "ImagePullBackOff",
  unreachable: "ImagePullBackOff",
  platform: "ImagePullBackOff",
  local: "ImagePullBackOff",
  unknown: "ImagePullBackOff",
} as const satisfies Record<ImageFault, string>;

export const imageReasonOf = ({ image = "unknown" }: Failure): (typeof imageReasons)[ImageFault] => imageReasons[image];
