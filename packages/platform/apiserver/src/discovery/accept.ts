import type { AggregatedVersion } from "./aggregated.ts";

/** The form of discovery that a client takes: the first one in its `Accept` that we can give. */
export type DiscoveryForm = { is: "plain" } | { is: "aggregated"; version: AggregatedVersion } | { is: "none" };

export function chooseForm(accept: string | undefined): DiscoveryForm {
  if (accept === undefined || accept.trim() === "") return { is: "plain" };
  for (const clause of accept.split(",")) {
    const [media = "", ...parameters] = clause.split(";").map((part) => part.trim().toLowerCase());
    if (!isJson(media)) continue;
    const given = new Map(parameters.map((parameter) => parameter.split("=", 2) as [string, string]));
    if (!given.has("as")) return { is: "plain" };
    const version = given.get("v");
    if (given.get("g") !== "apidiscovery.k8s.io" || given.get("as") !== "apigroupdiscoverylist") continue;
    if (version === "v2" || version === "v2beta1") return { is: "aggregated", version };
  }
  return { is: "none" };
}

export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept.trim() === "") return true;
  return accept.split(",").some((clause) => {
    const [media = "", ...parameters] = clause.split(";").map((part) => part.trim().toLowerCase());
    return isJson(media) && !parameters.some((parameter) => parameter.startsWith("as="));
  });
}

function isJson(media: string): boolean {
  return media === "application/json" || media === "application/*" || media === "*/*";
}
