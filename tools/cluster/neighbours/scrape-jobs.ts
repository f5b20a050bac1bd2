import type { ScrapeJob } from "@trivium/testkit";

/** The fields of a ServiceMonitor that the chart uses. */
export interface ServiceMonitor {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly endpoints: readonly {
      readonly port: string;
      readonly path: string;
      readonly honorLabels: boolean;
      readonly bearerTokenFile?: string;
    }[];
  };
}

export interface EndpointSlices {
  readonly items: readonly {
    readonly ports: readonly { readonly name: string; readonly port: number }[];
    readonly endpoints: readonly { readonly addresses: readonly string[] }[];
  }[];
}

/** By which the EndpointSlices of the selected Services are found: they have the labels of their Service. */
export const selectorOf = ({ spec }: ServiceMonitor): string =>
  Object.entries(spec.selector.matchLabels)
    .map(([label, value]) => `${label}=${value}`)
    .join(",");

/**
 * What the Prometheus operator makes of a ServiceMonitor, with the addresses of now: Debian's Prometheus cannot read them from a cluster.
 * `token` is a file with the token of an account that can read metrics, in the place of the one in Prometheus' own pod.
 */
export const scrapeJobsOf = ({ metadata, spec }: ServiceMonitor, slices: EndpointSlices, token: string): ScrapeJob[] =>
  spec.endpoints.map(({ port, path, honorLabels, bearerTokenFile }, index) => ({
    job_name: `${metadata.namespace}/${metadata.name}/${index}`,
    metrics_path: path,
    honor_labels: honorLabels,
    ...(bearerTokenFile === undefined ? {} : { authorization: { credentials_file: token } }),
    static_configs: [{ targets: targetsOf(slices, port) }],
  }));

const targetsOf = ({ items }: EndpointSlices, name: string): string[] =>
  items.flatMap(({ ports, endpoints }) =>
    ports
      .filter((port) => port.name === name)
      .flatMap(({ port }) => endpoints.flatMap(({ addresses }) => addresses.map((address) => `${address}:${port}`))),
  );
