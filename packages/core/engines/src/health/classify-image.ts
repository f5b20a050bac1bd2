/** Why an image cannot be had: the one reading of what registries and nodes say. */
export type ImageFault = "denied" | "missing" | "invalid" | "unavailable";

const denied = /unauthorized|authentication (?:required|failed)|\b40[13]\b|forbidden|denied|credentials/i;
const missing = /not found|\b404\b|manifest unknown|name unknown|no such image|not present with pull policy/i;
const invalid = /InvalidImageName|invalid reference format|couldn't parse image/i;

/** Registries say of private images that they may not exist, so a word about rights counts first. */
export function classifyImage(message: string): ImageFault {
  if (invalid.test(message)) return "invalid";
  if (denied.test(message)) return "denied";
  return missing.test(message) ? "missing" : "unavailable";
}
