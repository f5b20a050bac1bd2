import { setTimeout as sleep } from "node:timers/promises";
import { AIMService } from "@trivium/aim";
import { createClient, httpTransport, loadKubeconfig } from "@trivium/client";
import {
  type AnyObject,
  CustomResourceDefinition,
  Event,
  isReason,
  type Kind,
  type KubeClient,
  Namespace,
} from "@trivium/kube";
import { InferenceService as LlmkubeService, Model } from "@trivium/llmkube";
import { dialectDefinitions } from "@trivium/local";
import { InferenceService as OmeService } from "@trivium/ome";

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
      status: { phase: "Ready" },
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
export async function seedWorld(kubeconfig: string): Promise<void> {
  const transport = httpTransport(await loadKubeconfig(kubeconfig));
  try {
    const client = createClient(transport);
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } } as never);
    for (const definition of dialectDefinitions()) await client.create(CustomResourceDefinition, definition);
    for (const one of world) await seed(client, one);
    await seedEvents(client);
  } finally {
    await transport.close();
  }
}

async function seed(client: KubeClient, { kind, name, spec, status }: (typeof world)[number]): Promise<void> {
  const object = { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind, metadata: { name, namespace }, spec };
  await retried(() => client.create(kind, object as never));
  const patch = { type: "merge", body: { status } } as never;
  await client.patch(kind, { namespace, name }, patch, { subresource: "status" });
}

/** A definition is served a moment after it was created. */
async function retried<T>(act: () => Promise<T>): Promise<T> {
  for (let left = 100; ; left -= 1) {
    try {
      return await act();
    } catch (error) {
      if (left === 0 || !isReason(error, "NotFound")) throw error;
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
