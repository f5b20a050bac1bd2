import { parseServingAnnotations } from "@trivium/engines";
import { once } from "@trivium/std";
import { type Configuration, given, type IngressSettings } from "../../configuration/index.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { OmeOptions } from "../../options.ts";
import { visibilityLabel } from "../names/labels.ts";
import { planHosts } from "./hosts.ts";

export type SettledIngress = { readonly is: "settled"; readonly settings: IngressSettings } | FaultyIngress;

export interface FaultyIngress {
  readonly is: "faulty";
  readonly why: string;
  /** Who must mend it: whoever wrote the service, or who decides for all. */
  readonly whose: "author" | "administrator";
}

/** How one service is reached: as its annotations say, else the administrator's ConfigMap, else the options. Evaluated once in a pass. */
export const settleIngress = (
  service: InferenceService,
  configuration: Configuration | undefined,
  options: Pick<OmeOptions, "ingress">,
): SettledIngress => evaluateIngress(service, configuration ?? unconfigured, options);

const unconfigured: Pick<Configuration, "faults" | "ingress"> = { faults: {} };

const evaluateIngress = once(evaluate);

function evaluate(
  { metadata }: InferenceService,
  configuration: Pick<Configuration, "faults" | "ingress">,
  { ingress }: Pick<OmeOptions, "ingress">,
): SettledIngress {
  const fault = configuration.faults.ingress;
  const common: IngressSettings = { ...ingress, ...configuration.ingress };
  const annotations = metadata.annotations ?? {};
  const settings: IngressSettings = { ...common, ...gatewayOf(metadata), ...overridesOf(annotations) };
  // Whoever wants no entry needs no settings for one.
  if (settings.creation === "off" && fault === undefined) return { is: "settled", settings };
  if (annotations[`${prefix}disable-creation`] === "true") return { is: "settled", settings };
  if (fault !== undefined) return { is: "faulty", whose: "administrator", why: fault };
  const scheme = annotations[`${prefix}url-scheme`];
  if (scheme && scheme !== "http" && scheme !== "https")
    return { is: "faulty", whose: "author", why: `annotation ${prefix}url-scheme must be http or https` };
  if (settings.api === "gateway" && !/^[^/]+\/[^/]+$/.test(settings.gateway)) {
    const why = "no Gateway is set; set omeIngressGateway in key ingress of the ConfigMap to namespace/name";
    return { is: "faulty", whose: "administrator", why };
  }
  return { is: "settled", settings };
}

/** The annotation that all dialects have: a route on this Gateway, whatever the administrator decides for the others. */
function gatewayOf({ namespace = "", annotations }: InferenceService["metadata"]): Partial<IngressSettings> {
  const { gateway } = parseServingAnnotations(annotations);
  if (gateway === undefined) return {};
  return { creation: "on", api: "gateway", gateway: `${gateway.namespace ?? namespace}/${gateway.name}` };
}

const prefix = "ome.io/ingress-";

/** Empty texts say nothing, except that of a path, which takes it away. */
function overridesOf(annotations: Readonly<Record<string, string>>): Partial<IngressSettings> {
  const text = (name: string): string | undefined => annotations[`${prefix}${name}`] || undefined;
  const unless = (name: string): "on" | "off" | undefined => {
    const isSet = text(name);
    return isSet === undefined ? undefined : isSet === "true" ? "off" : "on";
  };
  const domains = text("additional-domains")?.split(",");
  return given<IngressSettings>({
    domainTemplate: text("domain-template"),
    domain: text("domain"),
    additionalDomains: domains?.map((one) => one.trim()).filter((one) => one !== ""),
    scheme: text("url-scheme") as IngressSettings["scheme"] | undefined,
    pathTemplate: annotations[`${prefix}path-template`],
    creation: unless("disable-creation"),
    virtualHosts: unless("disable-istio-virtualhost"),
  });
}

/** A service that its owner keeps to the cluster. */
export const isPrivate = ({ metadata }: InferenceService): boolean =>
  metadata.labels?.[visibilityLabel] === "cluster-local";

/** Whether the way in can be shared out by weight: HTTPRoutes can. */
export function canSplitTraffic(
  service: InferenceService,
  configuration: Configuration | undefined,
  options: Pick<OmeOptions, "ingress">,
): boolean {
  const settled = settleIngress(service, configuration, options);
  if (settled.is === "faulty" || isPrivate(service)) return false;
  return settled.settings.creation === "on" && settled.settings.api === "gateway";
}

/** Why a service would have no route although it wants one; nothing where it has one, or wants none. */
export function ingressFaultOf(
  service: InferenceService,
  configuration: Configuration | undefined,
  options: Pick<OmeOptions, "ingress">,
): string | undefined {
  const settled = settleIngress(service, configuration, options);
  if (settled.is === "faulty") return settled.why;
  if (settled.settings.creation === "off" || isPrivate(service)) return undefined;
  const hosts = planHosts(service, [], settled.settings);
  return hosts.is === "faulty" ? hosts.why : undefined;
}
