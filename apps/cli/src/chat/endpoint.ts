import { type ClusterAccess, createClient, findAccess, type HttpTransport, httpTransport } from "@trivium/client";
import { type AnyObject, ApiError, type KubeClient, Service } from "@trivium/kube";
import { findRunning } from "@trivium/local";
import { Refusal } from "@trivium/std";
import { type AccessOptions, homeBehind, noControlPlane, refusalOf } from "../access.ts";
import { listOwned } from "../cluster/owned.ts";
import { placeOf } from "../cluster/place.ts";
import { findService, readService } from "../cluster/service.ts";
import { withCluster } from "../cluster/session.ts";

/** Where a service answers: behind the gateway of this machine, or behind the API server of a cluster. */
export interface Endpoint {
  /** How messages name it. */
  readonly address: string;
  readonly model: string;
  /** Of a gateway, which any client can call. */
  readonly url?: string;
  post(path: string, body: object, signal: AbortSignal): Promise<Reply>;
  close(): Promise<void>;
}

export interface Reply {
  readonly status: number;
  readonly body: AsyncIterable<string>;
}

export interface EndpointOptions extends AccessOptions {
  /** Address of a gateway, instead of that of this machine. */
  readonly gateway?: string;
}

export async function openEndpoint(service: string, options: EndpointOptions): Promise<Endpoint> {
  const { namespace = "default", gateway = process.env.TRIVIUM_GATEWAY } = options;
  // A gateway has one service of a name, of whichever API.
  const model = `${namespace}/${readService(service).name}`;
  if (gateway) return gatewayEndpoint(gateway.replace(/(\/v1)?\/*$/, ""), model);
  const place = await placeOf(options);
  if (place.is === "cluster") return clusterEndpoint(place.access, service, options);
  const record = findRunning(place.home);
  if (record !== undefined) {
    await withCluster({ kubeconfig: record.kubeconfig }, ({ client }) => findService(client, service, namespace));
    return gatewayEndpoint(`http://127.0.0.1:${record.ports.gateway}`, model);
  }
  const access = options.home === undefined ? await findAccess().catch(() => undefined) : undefined;
  if (access !== undefined && homeBehind(access.server, options) === undefined)
    return clusterEndpoint(access, service, options);
  throw noControlPlane();
}

function gatewayEndpoint(gateway: string, model: string): Endpoint {
  const key = process.env.TRIVIUM_API_KEY || undefined;
  const headers = {
    "content-type": "application/json",
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };
  return {
    address: gateway,
    url: gateway,
    model,
    async post(path, body, signal) {
      const response = await fetch(`${gateway}${path}`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
        signal,
      });
      return { status: response.status, body: response.body?.pipeThrough(new TextDecoderStream()) ?? noText() };
    },
    close: async () => {},
  };
}

/** The API server passes requests on to a Service of the cluster, for callers who are allowed to use its proxy. */
async function clusterEndpoint(access: ClusterAccess, name: string, options: EndpointOptions): Promise<Endpoint> {
  const { namespace = access.namespace } = options;
  const transport = httpTransport(access);
  try {
    return await proxyEndpoint(transport, { name, namespace, server: access.server });
  } catch (error) {
    await transport.close();
    if (error instanceof ApiError) throw refusalOf(error, access, options);
    throw error;
  }
}

interface ClusterService {
  readonly name: string;
  readonly namespace: string;
  readonly server: string;
}

async function proxyEndpoint(transport: HttpTransport, { name, namespace, server }: ClusterService): Promise<Endpoint> {
  const client = createClient(transport);
  const { service, port } = await findBackend(client, name, namespace);
  const base = `/api/v1/namespaces/${namespace}/services/${service}:${port}/proxy`;
  const headers = { "content-type": "application/json", accept: "*/*" };
  const listed = await transport({ method: "GET", path: `${base}/v1/models`, headers });
  return {
    address: `${server} (Service ${service})`,
    model: firstModel(typeof listed.body === "string" ? listed.body : "") ?? name,
    async post(path, body, signal) {
      const request = { method: "POST", path: `${base}${path}`, headers, signal, isStreamed: true } as const;
      const { status, body: reply } = await transport({ ...request, body: JSON.stringify(body) });
      return { status, body: typeof reply === "string" ? onePiece(reply) : reply };
    },
    close: () => transport.close(),
  };
}

/** The Service of the cluster that leads to the pods of a service. */
export async function findBackend(
  client: KubeClient,
  name: string,
  namespace: string,
): Promise<{ readonly service: string; readonly port: number }> {
  const owned = await listOwned(client, await findService(client, name, namespace));
  const { metadata, spec } = pickService(owned, name) ?? {};
  if (metadata?.name === undefined)
    throw new Refusal(`service ${name} has no Service to call yet; trivium explain shows why`);
  return { service: metadata.name, port: spec?.ports?.[0]?.port ?? 80 };
}

function pickService(owned: readonly AnyObject[], name: string): Service | undefined {
  const services = owned.filter(({ kind }) => kind === Service.kind) as unknown as Service[];
  return services.find(({ metadata }) => metadata.name === name) ?? services[0];
}

function firstModel(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { data?: { id?: string }[] }).data?.[0]?.id;
  } catch {
    return undefined;
  }
}

async function* onePiece(text: string): AsyncGenerator<string> {
  yield text;
}

async function* noText(): AsyncGenerator<string> {}
