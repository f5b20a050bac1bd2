import { codeOf } from "../../fault.ts";

const unknownIssuer: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** What is wrong with a TLS connection and what to do about it; nothing where something else failed. */
export function tlsFault(error: unknown, host: string): string | undefined {
  const code = codeOf(error) ?? "";
  if (unknownIssuer.has(code))
    return (
      `the certificate of ${host} is not signed by a known authority; set SSL_CERT_FILE to a file with the certificate of its ` +
      "authority, or TRIVIUM_WEIGHTS_CERTIFICATES to a folder with such files, where the download runs"
    );
  switch (code) {
    case "CERT_HAS_EXPIRED":
      return `the certificate of ${host} has expired; renew it, or check the clock of this machine`;
    case "CERT_NOT_YET_VALID":
      return `the certificate of ${host} is not valid yet; check the clock of this machine`;
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return `the certificate is not for ${host}; use a name that it was issued for`;
    case "ERR_SSL_WRONG_VERSION_NUMBER":
    case "ERR_SSL_PACKET_LENGTH_TOO_LONG":
      return `${host} does not use TLS on this port; use http:// or another port`;
    default:
      return code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_")
        ? `TLS with ${host} failed (${code})`
        : undefined;
  }
}
