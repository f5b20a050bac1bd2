import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { builtInResources, createApi, openMemoryStore } from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import {
  CustomResourceDefinition,
  type Deployment,
  EndpointSlice,
  gatewayApiCrds,
  type KubeClient,
  type KubeObject,
  Namespace,
  Pod,
  Service,
} from "@trivium/kube";
import { systemClock } from "@trivium/runtime";
import { type GatewayOptions, type RunningGateway, startGateway } from "../src/gateway.ts";

export { until } from "@trivium/testkit";

/** A cluster in memory, a gateway on it, and model servers that the test plays itself. */
export interface ClusterFixture {
  readonly client: KubeClient;
  readonly gateway: RunningGateway;
  close(): Promise<void>;
}

export interface FixtureOptions extends Partial<Omit<GatewayOptions, "client">> {
  readonly before?: (client: KubeClient) => Promise<void>;
  /** Stands between the gateway and the API. */
  readonly wrap?: (client: KubeClient) => KubeClient;
}

export async function startFixture({
  before,
  wrap = (client) => client,
  ...options
}: FixtureOptions = {}): Promise<ClusterFixture> {
  const clock = options.clock ?? systemClock;
  const resources = builtInResources({ loopbackEndpoints: "allowed" });
  const api = createApi({ store: openMemoryStore(), resources, clock: () => clock.now() });
  await api.ready;
  const client = createClient(api.transport({ user: "town", groups: ["system:masters"] }));
  for (const definition of await gatewayApiCrds()) await client.create(CustomResourceDefinition, definition);
  await api.idle();
  for (const name of ["default", "other", "trivium-system"]) await ensureNamespace(client, name);
  await before?.(client);
  const gateway = await startGateway({ port: 0, adminPort: 0, clock, ...options, client: wrap(client) });
  return {
    client,
    gateway,
    async close() {
      await gateway.close();
      await api.close();
    },
  };
}

async function ensureNamespace(client: KubeClient, name: string): Promise<void> {
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } }).catch(() => {});
}

export type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** A model server of the test. */
export interface ModelServer {
  readonly port: number;
  readonly requests: {
    readonly method: string;
    readonly url: string;
    readonly headers: IncomingMessage["headers"];
    readonly body: string;
  }[];
  /** Requests whose answer is not over. */
  open(): number;
  /** Dies: every connection is reset. */
  kill(): void;
  close(): Promise<void>;
}

export async function startModel(answer: Answer, models: readonly string[] = ["tiny"], port = 0): Promise<ModelServer> {
  const requests: ModelServer["requests"] = [];
  let open = 0;
  const server: Server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("error", () => {});
    request.on("end", () => {
      const body = Buffer.concat(pieces).toString("utf8");
      if (request.method === "GET" && request.url === "/v1/models") return void response.end(listing(models));
      requests.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body });
      open += 1;
      response.once("close", () => {
        open -= 1;
      });
      answer(request, response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    open: () => open,
    kill() {
      server.closeAllConnections();
      server.close();
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const listing = (models: readonly string[]): string =>
  JSON.stringify({ object: "list", data: models.map((id) => ({ id, object: "model" })) });

export interface ServiceOptions {
  readonly namespace?: string;
  readonly portName?: string;
  readonly annotations?: Record<string, string>;
  readonly clusterIP?: string;
}

export function service(name: string, options: ServiceOptions = {}): Service {
  const { namespace = "default", portName = "http", annotations = {}, clusterIP } = options;
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace, annotations },
    spec: {
      selector: { app: name },
      ports: [{ name: portName, port: 80, targetPort: 8080 }],
      ...(clusterIP === undefined ? {} : { clusterIP }),
    },
  };
}

/** The endpoints of a Service: ports of this machine, ready or not. */
export function endpoints(
  name: string,
  ports: readonly number[],
  options: ServiceOptions & { ready?: boolean } = {},
): EndpointSlice[] {
  const { namespace = "default", portName = "http", ready = true } = options;
  return ports.map((port) => ({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: `${name}-${port}`, namespace, labels: { "kubernetes.io/service-name": name } },
    addressType: "IPv4" as const,
    endpoints: [{ addresses: ["127.0.0.1"], conditions: { ready } }],
    ports: [{ name: portName, port, protocol: "TCP" as const }],
  }));
}

export async function addService(
  client: KubeClient,
  name: string,
  ports: readonly number[],
  options: ServiceOptions = {},
) {
  await client.create(Service, service(name, options));
  for (const slice of endpoints(name, ports, options)) await client.create(EndpointSlice, slice);
}

export function deployment(name: string, replicas: number, annotations: Record<string, string> = {}): Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "default", annotations },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "main", image: "llama" }] } },
    },
  };
}

/** A pod of a Deployment in some state of its life. */
export async function putPod(client: KubeClient, app: string, status: Pod["status"], name = `${app}-0`): Promise<void> {
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", labels: { app } },
    spec: { containers: [{ name: "main", image: "llama" }] },
  };
  await client.create(Pod, pod).catch(() => {});
  await client.patch(
    Pod,
    { namespace: "default", name },
    { type: "merge", body: { status: status as never } },
    { subresource: "status" },
  );
}

export const readyPod: Pod["status"] = {
  phase: "Running",
  conditions: [
    { type: "PodScheduled", status: "True" },
    { type: "Ready", status: "True" },
  ],
};

export function chunk(text: string): string {
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "tiny", choices: [{ index: 0, delta: { content: text } }] })}\n\n`;
}

export const usageChunk = `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "tiny", choices: [], usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 } })}\n\n`;

/** Answers like a model server that is done at once. */
export const completes: Answer = (request, response, body) => {
  const { stream, model } = JSON.parse(body || "{}") as { stream?: boolean; model?: string };
  if (request.url === "/v1/embeddings") {
    response.setHeader("content-type", "application/json");
    return void response.end(
      JSON.stringify({
        object: "list",
        model,
        data: [{ object: "embedding", index: 0, embedding: [0.5, 0.25] }],
        usage: { prompt_tokens: 2, total_tokens: 2 },
      }),
    );
  }
  if (stream) {
    response.setHeader("content-type", "text/event-stream");
    for (const word of ["Hello", " ", "world"]) response.write(chunk(word));
    response.write(usageChunk);
    return void response.end("data: [DONE]\n\n");
  }
  response.setHeader("content-type", "application/json");
  response.end(
    JSON.stringify({
      id: "c",
      object: "chat.completion",
      created: 1,
      model,
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hello world" } }],
      usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
    }),
  );
};

export const named = (object: KubeObject) => ({
  namespace: object.metadata.namespace,
  name: object.metadata.name as string,
});
