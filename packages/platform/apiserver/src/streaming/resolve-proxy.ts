import type { AnyObject, api } from "@trivium/kube";
import type { Backend } from "../call.ts";
import { badRequest, notFound, refusal } from "../refusals.ts";
import { splitPath } from "../request.ts";
import type { Resource } from "../resource.ts";
import { objectAt } from "../storage/storage.ts";
import type { ProxyConnection } from "./connection.ts";
import type { PodStreams, PortAddress } from "./pod-streams.ts";

export interface ProxyPath {
  readonly resource: "pods" | "services";
  readonly namespace: string;
  readonly scheme: "http" | "https";
  readonly name: string;
  /** "" where the request leaves it open. */
  readonly port: string;
  readonly path: string;
  readonly prefix: string;
}

const shape = /^(\/api\/v1\/namespaces\/([^/?]+)\/(pods|services)\/([^/?]+)\/proxy)((?:\/[^?]*)?(?:\?.*)?)$/;

/** `/api/v1/namespaces/<namespace>/<pods|services>/[https:]<name>[:<port>]/proxy/…`; undefined for any other path. */
export function parseProxyPath(path: string): ProxyPath | undefined {
  const [, prefix = "", , resource, , rest = ""] = shape.exec(path) ?? [];
  if (resource !== "pods" && resource !== "services") return undefined;
  const [, , , namespace = "", , target = ""] = splitPath(prefix);
  const parts = target.split(":");
  const scheme = parts.length > 1 && (parts[0] === "https" || parts[0] === "http") ? parts.shift() : "http";
  const [name = "", port = "", ...more] = parts;
  if (more.length > 0) throw badRequest(`invalid ${resource.slice(0, -1)} request ${JSON.stringify(target)}`);
  return {
    resource,
    namespace,
    scheme: scheme === "https" ? "https" : "http",
    name,
    port,
    path: rest.startsWith("/") ? rest : `/${rest}`,
    prefix,
  };
}

export function resolveProxy(backend: Backend, streams: PodStreams, proxied: ProxyPath): ProxyConnection {
  const { resource, namespace, name, port, scheme, path, prefix } = proxied;
  const of = backend.registry.find("", "v1", resource) as Resource;
  const stored = backend.storage.get(of, namespace, name);
  if (stored === undefined) throw notFound(of, name);
  const object = objectAt(of, stored);
  const address =
    resource === "pods"
      ? podAddress(streams, object, port)
      : serviceAddress(backend, object as unknown as api.Service, port);
  return { is: "proxy", scheme, address, path, prefix };
}

function podAddress(streams: PodStreams, pod: AnyObject, port: string): PortAddress {
  const { containers = [] } = pod.spec as { containers?: api.Container[] };
  const declared = containers.flatMap(({ ports = [] }) => ports);
  const named = declared.find((one) => one.name === port) ?? (port === "" ? declared[0] : undefined);
  const number = named?.containerPort ?? Number(port === "" ? 80 : port);
  const address = Number.isInteger(number) && number > 0 && number <= 0xffff && streams.addressOf(pod, number);
  if (!address)
    throw badRequest(`pod ${pod.metadata.name} has no address and port ${JSON.stringify(port)} to proxy to`);
  return address;
}

const serviceName = "kubernetes.io/service-name";

/** One of the addresses that are ready behind the port. */
function serviceAddress(backend: Backend, service: api.Service, port: string): PortAddress {
  const { name = "", namespace = "" } = service.metadata ?? {};
  const ports = service.spec?.ports ?? [];
  const chosen = port === "" ? ports[0] : ports.find((one) => one.name === port || String(one.port) === port);
  if (chosen === undefined || (port === "" && ports.length !== 1))
    throw badRequest(`no service port ${JSON.stringify(port)} found for service ${JSON.stringify(name)}`);
  const slices = backend.registry.find("discovery.k8s.io", "v1", "endpointslices") as Resource;
  for (const stored of backend.storage.store.list("endpointslices.discovery.k8s.io", { namespace })) {
    const slice = objectAt(slices, stored) as unknown as api.EndpointSlice;
    if (slice.metadata?.labels?.[serviceName] !== name) continue;
    const number = slice.ports?.find((one) => (one.name ?? "") === (chosen.name ?? ""))?.port;
    const ready = (slice.endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false);
    const host = ready[Math.floor(Math.random() * ready.length)]?.addresses[0];
    if (number !== undefined && host !== undefined) return { host, port: number };
  }
  throw refusal(503, "ServiceUnavailable", `no endpoints available for service ${JSON.stringify(name)}`);
}
