import { given, type JsonFields } from "./json-fields.ts";

/** How services are reached from outside. */
export interface IngressSettings {
  /** Off leaves it at the Service that has the name of the service. */
  readonly creation: "on" | "off";
  /** Which objects lead to components that are no Knative Services. */
  readonly api: "gateway" | "ingress";
  /** `namespace/name` of the Gateway that HTTPRoutes hang on. */
  readonly gateway: string;
  readonly domain: string;
  readonly additionalDomains: readonly string[];
  /** What hosts look like: `.Name`, `.Namespace`, `.IngressDomain`, `.Labels` and `.Annotations` are filled in. */
  readonly domainTemplate: string;
  /** With it services share the domain and differ by path. */
  readonly pathTemplate: string;
  readonly scheme: "http" | "https";
  readonly className: string;
  /** Whether Istio is told of Knative Services. */
  readonly virtualHosts: "on" | "off";
  /** `namespace/name` of Istio's Gateways: for everybody, and for the cluster. */
  readonly istioGateway: string;
  readonly localGateway: string;
  /** The Service behind the local one. */
  readonly localGatewayService: string;
}

export const ingressDefaults: IngressSettings = {
  creation: "off",
  api: "ingress",
  gateway: "",
  domain: "svc.cluster.local",
  additionalDomains: [],
  domainTemplate: "{{ .Name }}.{{ .Namespace }}.{{ .IngressDomain }}",
  pathTemplate: "",
  scheme: "http",
  className: "istio",
  virtualHosts: "on",
  istioGateway: "knative-serving/knative-ingress-gateway",
  localGateway: "knative-serving/knative-local-gateway",
  localGatewayService: "knative-local-gateway.istio-system.svc.cluster.local",
};

/** The key `ingress` of the ConfigMap, as far as it says anything. */
export function readIngress(fields: JsonFields): Partial<IngressSettings> {
  const isOff = fields.flag("disableIngressCreation");
  const isGatewayApi = fields.flag("enableGatewayAPI");
  const isWithoutHosts = fields.flag("disableIstioVirtualHost");
  return given<IngressSettings>({
    creation: isOff === undefined ? undefined : isOff ? "off" : "on",
    api: isGatewayApi === undefined ? undefined : isGatewayApi ? "gateway" : "ingress",
    virtualHosts: isWithoutHosts === undefined ? undefined : isWithoutHosts ? "off" : "on",
    gateway: filled(fields.text("omeIngressGateway")),
    domain: filled(fields.text("ingressDomain")),
    additionalDomains: fields.texts("additionalIngressDomains"),
    domainTemplate: filled(fields.text("domainTemplate")),
    pathTemplate: fields.text("pathTemplate"),
    scheme: fields.oneOf("urlScheme", ["http", "https"]),
    className: filled(fields.text("ingressClassName")),
    istioGateway: filled(fields.text("ingressGateway")),
    localGateway: filled(fields.text("localGateway")),
    localGatewayService: filled(fields.text("localGatewayService")),
  });
}

const filled = (text: string | undefined): string | undefined => (text === "" ? undefined : text);
