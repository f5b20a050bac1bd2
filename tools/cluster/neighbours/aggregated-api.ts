/** An API that a server on this machine answers for, behind the API server. */
export interface AggregatedApi {
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly service: string;
  /** Whose certificate the server shows, with the name of the Service. */
  readonly authority: string;
  readonly address: string;
  readonly port: number;
}

/** The name that the API server checks the certificate for. */
export const serverNameOf = ({ service, namespace }: Pick<AggregatedApi, "service" | "namespace">): string =>
  `${service}.${namespace}.svc`;

/** The APIService, and a Service without pods that leads to the machine. */
export function aggregatedApiObjects(api: AggregatedApi): object[] {
  const { group, version, namespace, service: name, authority, address, port } = api;
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace },
      spec: { ports: [{ name: "https", port: 443, targetPort: port }] },
    },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name, namespace, labels: { "kubernetes.io/service-name": name } },
      addressType: "IPv4",
      ports: [{ name: "https", port, protocol: "TCP" }],
      endpoints: [{ addresses: [address], conditions: { ready: true } }],
    },
    {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: `${version}.${group}` },
      spec: {
        group,
        version,
        groupPriorityMinimum: 100,
        versionPriority: 100,
        caBundle: Buffer.from(authority).toString("base64"),
        service: { namespace, name },
      },
    },
  ];
}

/** How a server of an aggregated API asks the API server who a user is and what the user is allowed to do. */
export const delegationArguments = (kubeconfig: string): string[] => [
  `--authentication-kubeconfig=${kubeconfig}`,
  `--authorization-kubeconfig=${kubeconfig}`,
  `--lister-kubeconfig=${kubeconfig}`,
];
