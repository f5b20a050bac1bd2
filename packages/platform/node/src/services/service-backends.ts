import type { EndpointSlice, Service } from "@trivium/kube";

/** One address and port where a Service is reached, and those who answer there. */
export interface Frontend {
  readonly service: Service;
  readonly host: string;
  readonly port: number;
  readonly backends: readonly Backend[];
}

export interface Backend {
  readonly host: string;
  readonly port: number;
}

/** The slice says of which Service it is. */
const serviceName = "kubernetes.io/service-name";

/** Every TCP port of every Service that has an address of its own, by `host:port`. */
export function planFrontends(services: readonly Service[], slices: readonly EndpointSlice[]): Map<string, Frontend> {
  const slicesOf = Map.groupBy(slices, ({ metadata }) => `${metadata.namespace}/${metadata.labels?.[serviceName]}`);
  const frontends = new Map<string, Frontend>();
  for (const service of services) {
    const { metadata, spec } = service;
    const { clusterIP: host = "", ports = [] } = spec ?? {};
    if (host === "" || host === "None") continue;
    const own = slicesOf.get(`${metadata.namespace}/${metadata.name}`) ?? [];
    for (const { name = "", port, protocol = "TCP" } of ports) {
      if (protocol !== "TCP") continue;
      frontends.set(`${host}:${port}`, { service, host, port, backends: backendsOf(own, name) });
    }
  }
  return frontends;
}

function backendsOf(slices: readonly EndpointSlice[], name: string): Backend[] {
  return slices.flatMap(({ ports, endpoints }) => {
    const port = ports?.find((one) => (one.name ?? "") === name)?.port;
    if (port === undefined) return [];
    const ready = (endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false);
    return ready.flatMap(({ addresses }) => addresses.map((host) => ({ host, port })));
  });
}
