import type { InferenceService } from "../kinds/inference-service.ts";
import { serviceNameOf } from "../names.ts";
import type { OmeOptions } from "../options.ts";

/** The host of a service at the Gateway. */
export const hostOf = ({ metadata }: InferenceService, domain: string): string =>
  `${serviceNameOf(metadata.name ?? "")}.${metadata.namespace}.${domain}`;

/** The address inside the cluster: it always leads to a Service that exists. */
export const addressOf = ({ metadata }: InferenceService, port: number): string =>
  `http://${serviceNameOf(metadata.name ?? "")}.${metadata.namespace}.svc.cluster.local:${port}`;

/** The address for everybody. */
export function urlOf(service: InferenceService, port: number, { ingress }: OmeOptions): string {
  if (ingress.strategy === "none") return addressOf(service, port);
  return `${ingress.scheme}://${hostOf(service, ingress.domain)}`;
}
