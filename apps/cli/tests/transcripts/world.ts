import { setTimeout as sleep } from "node:timers/promises";
import { AIMService } from "@trivium/aim";
import { createClient, httpTransport, loadKubeconfig } from "@trivium/client";
import {
  type AnyObject,
  CustomResourceDefinition,
  EndpointSlice,
  Endpoints,
  Event,
  isReason,
  type Kind,
  type KubeClient,
  Namespace,
  Pod,
  Service,
} from "@trivium/kube";
import { InferenceService as LlmkubeService, Model } from "@trivium/llmkube";
import { dialectDefinitions } from "@trivium/local";
import { InferenceService as OmeService } from "@trivium/ome";
import type { ModelServer } from "./model-server.ts";

export const namespace = "team-a";
const since = "2026-01-01T00:00:00Z";

const condition = (type: string, status: string, reason: string, message: string) => ({
  ...{ type, status, reason, message },
  lastTransitionTime: since,
  observedGeneration: 1,
});

/** A service of each API: one ready, one that a person must mend, one under way. */
const world: readonly { readonly kind: Kind; readonly name: string; readonly spec: object; readonly status: object }[] =
  [
    {
      kind: Model,
      name: "demo",
      spec: { source: "hf://org/repo/demo.gguf", format: "gguf" },
      status: { phase: "Ready", conditions: [condition("Available", "True", "ModelReady", "The model is ready")] },
    },
    {
      kind: LlmkubeService,
      name: "chat",
      spec: { modelRef: "demo", replicas: 1 },
      status: {
        phase: "Ready",
        replicas: 1,
        readyReplicas: 1,
        desiredReplicas: 1,
        conditions: [condition("Available", "True", "InferenceReady", "All replicas are ready")],
      },
    },
    {
      kind: OmeService,
      name: "code",
      spec: { model: { name: "qwen" } },
      status: {
        conditions: [
          condition(
            "Ready",
            "False",
            "ModelNotFound",
            "ClusterBaseModel qwen not found; create it, or change spec.model",
          ),
        ],
      },
    },
    {
      kind: AIMService,
      name: "assistant",
      spec: { model: { ref: "llama" } },
      status: {
        status: "Starting",
        conditions: [condition("Ready", "False", "RuntimeStarting", "0 of 1 replicas ready")],
      },
    },
  ];

/** Creates the world on any server, with the status that controllers would have written. */
export const seedWorld = (kubeconfig: string): Promise<void> =>
  withClient(kubeconfig, async (client) => {
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } } as never);
    for (const definition of dialectDefinitions()) await client.create(CustomResourceDefinition, definition);
    for (const one of world) await seed(client, one);
    await seedEvents(client);
  });

async function withClient(kubeconfig: string, use: (client: KubeClient) => Promise<void>): Promise<void> {
  const transport = httpTransport(await loadKubeconfig(kubeconfig));
  try {
    await use(createClient(transport));
  } finally {
    await transport.close();
  }
}

/** The Service that the operator would have created for `chat`, and a pod whose address leads to a model server. */
export const seedEndpoint = (kubeconfig: string, { address, port }: Pick<ModelServer, "address" | "port">) =>
  withClient(kubeconfig, async (client) => {
    const { apiVersion, kind, metadata } = (await client.get(LlmkubeService, {
      ...{ namespace, name: "chat" },
    })) as unknown as AnyObject;
    const owner = { apiVersion, kind, name: "chat", uid: metadata.uid ?? "", controller: true };
    const named = { name: "chat", namespace, labels: { "kubernetes.io/service-name": "chat" } };
    await client.create(Service, {
      ...{ apiVersion: "v1", kind: "Service", metadata: { ...named, ownerReferences: [owner] } },
      spec: { ports: [{ name: "http", port: 8080, protocol: "TCP" }] },
    } as never);
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "chat-0", namespace } };
    const spec = { containers: [{ name: "server", image: "example.com/server" }] };
    // Accounts of a new namespace are created a moment later.
    const { metadata: created } = await retried(() => client.create(Pod, { ...pod, spec } as never), "Forbidden");
    const status = { phase: "Running", podIP: address, podIPs: [{ ip: address }] };
    const patch = { type: "merge", body: { status } } as never;
    await client.patch(Pod, { namespace, name: "chat-0" }, patch, { subresource: "status" });
    // The proxy of a kube-apiserver reads Endpoints and trusts those of pods; ours reads EndpointSlices. Controllers write both.
    const targetRef = { kind: "Pod", namespace, name: "chat-0", uid: created.uid };
    await client.create(Endpoints, {
      ...{ apiVersion: "v1", kind: "Endpoints", metadata: { name: "chat", namespace } },
      subsets: [{ addresses: [{ ip: address, targetRef }], ports: [{ name: "http", port, protocol: "TCP" }] }],
    } as never);
    await client.create(EndpointSlice, {
      ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", metadata: named },
      ...{ addressType: "IPv4", ports: [{ name: "http", port, protocol: "TCP" }] },
      endpoints: [{ addresses: [address], conditions: { ready: true } }],
    } as never);
  });

async function seed(client: KubeClient, { kind, name, spec, status }: (typeof world)[number]): Promise<void> {
  const object = { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind, metadata: { name, namespace }, spec };
  await retried(() => client.create(kind, object as never));
  const patch = { type: "merge", body: { status } } as never;
  await client.patch(kind, { namespace, name }, patch, { subresource: "status" });
}

/** A definition is served a moment after it was created. */
async function retried<T>(act: () => Promise<T>, passing: "NotFound" | "Forbidden" = "NotFound"): Promise<T> {
  for (let left = 600; ; left -= 1) {
    try {
      return await act();
    } catch (error) {
      if (left === 0 || !isReason(error, passing)) throw error;
      await sleep(200);
    }
  }
}

async function seedEvents(client: KubeClient): Promise<void> {
  const { kind, metadata, apiVersion } = (await client.get(LlmkubeService, {
    namespace,
    name: "chat",
  })) as unknown as AnyObject;
  const event = {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "chat.1", namespace },
    involvedObject: { apiVersion, kind, name: "chat", namespace, uid: metadata.uid },
    ...{ type: "Normal", reason: "InferenceReady", message: "All replicas are ready", count: 2 },
    ...{ firstTimestamp: since, lastTimestamp: since, source: { component: "trivium" } },
  };
  await client.create(Event, event as never);
}
