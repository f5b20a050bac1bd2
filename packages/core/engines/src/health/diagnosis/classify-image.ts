import type { ImageFault } from "@trivium/domain";

/** What registries, container runtimes and the kubelet write, most telling first. */
const texts: readonly (readonly [ImageFault, RegExp])[] = [
  ["invalid", /invalid reference format|couldn't parse image/i],
  ["limited", /toomanyrequests|too many requests|rate limit|limits the request rate|\b429\b/i],
  // Registries report of private images that they may not exist, so a word about rights counts first.
  ["denied", /unauthorized|authentication (?:required|failed)|\b40[13]\b|forbidden|denied|credentials/i],
  ["untrusted", /x509|certificate/i],
  ["unreachable", /time(?:d )?out|connection (?:refused|reset)|no such host|no route to host|network is unreachable/i],
  // As the operator has it from its own system.
  ["unreachable", /other side closed|socket hang up|no response/i],
  ["unreachable", /\bE(?:NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|HOSTUNREACH|NETUNREACH|TIMEDOUT)\b/],
  ["unreachable", /handshake|deadline exceeded|server misbehaving|dial tcp|\bEOF\b|\b50[0234]\b/i],
  ["platform", /no match(?:ing manifest)? for|does not match the (?:specified|detected) .*platform/i],
  ["missing", /not found|\b404\b|manifest unknown|name unknown|no such image|not present with pull policy/i],
];

/** Why an image is not available: the one place that reads what the node reports of it. */
export function classifyImage(reason: string, message: string): ImageFault {
  if (reason === "InvalidImageName") return "invalid";
  const found = texts.find(([, text]) => text.test(message))?.[0];
  // A kubelet gives this reason with a text of its own; a node that runs processes gives it for images that it has no program for.
  return reason === "ErrImageNeverPull" && found !== "missing" ? "local" : (found ?? "unknown");
}
