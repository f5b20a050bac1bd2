import type { AddressRule } from "@trivium/weights";

/** Mirrors that the administrator of the agent has chosen: objects of tenants do not set these. */
const endpoints = ["HF_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL_STS", "OCI_ENDPOINT"];

/** Where the agent may fetch from: the internet, the mirrors it was given, and private hosts that were allowed by name. */
export function addressRuleOf(
  allowed: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): AddressRule {
  if (allowed.includes("*")) return "any";
  const mirrors = endpoints.flatMap((name) => URL.parse(environment[name] ?? "")?.hostname ?? []);
  return { publicAnd: [...allowed, ...mirrors.map((host) => host.replace(/^\[|\]$/g, ""))] };
}
