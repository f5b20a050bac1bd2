import type { Trouble } from "@trivium/domain";

export interface PullFault {
  readonly reason: "ImagePullAuthFailure" | "ImageNotFound" | "ImagePullBackOff";
  readonly message: string;
}

const auth = /unauthorized|authentication (required|failed)|\b40[13]\b|forbidden|denied|credentials/i;
const missing = /not found|\b404\b|manifest unknown|name unknown|no such image/i;

/** Why a pod cannot have its image, in the words of whoever tried to pull it. */
export function pullFault(trouble: Trouble | undefined): PullFault | undefined {
  if (trouble?.kind !== "image") return undefined;
  const { message, pod } = trouble;
  const said = `Pod ${pod} cannot pull the image: ${message}`;
  // Registries say of private images that they may not exist, so a word about rights counts first.
  if (auth.test(message))
    return { reason: "ImagePullAuthFailure", message: `${said}; name a Secret in imagePullSecrets` };
  if (missing.test(message)) return { reason: "ImageNotFound", message: `${said}; correct the image of the model` };
  return { reason: "ImagePullBackOff", message: said };
}
