import { dirname } from "node:path";
import {
  type KubeClient,
  type KubeObject,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
} from "@trivium/kube";
import { InferenceService, Model } from "@trivium/llmkube";
import { until } from "@trivium/testkit";
import { askEngine } from "../e2e/gateway.ts";
import { imageOf } from "../e2e/services.ts";
import { demoModel } from "../e2e/sources.ts";
import { nodeName } from "../node/configuration.ts";

const namespace = "real";
const name = "demo";
const ref = { namespace, name };
const taint = { key: "trivium.dev/real", effect: "NoSchedule" };
const patience = 600_000;

/** What a pod on the real node is and does; two of one pod that was left alone are equal. */
export interface ServingState {
  readonly uid: string;
  readonly restarts: number;
  readonly answer: string;
}

/** Nothing else is scheduled to the real node: pods of the other services have no image that exists. */
export async function reserveRealNode(client: KubeClient): Promise<void> {
  await client.patch(Node, { name: nodeName }, { type: "merge", body: { spec: { taints: [taint] } } });
}

/** A service with the demo model and our engine on the real node; resolves when it serves. */
export async function createRealService(client: KubeClient, registry: string): Promise<void> {
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const capacity = { storage: "1Gi" };
  const accessModes: ["ReadWriteMany"] = ["ReadWriteMany"];
  await client.create(PersistentVolume, {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: { capacity, accessModes, storageClassName: "", hostPath: { path: dirname(demoModel) }, claimRef: ref },
  });
  await client.create(PersistentVolumeClaim, {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: ref,
    spec: { accessModes, storageClassName: "", volumeName: name, resources: { requests: capacity } },
  });
  const head = { apiVersion: "inference.llmkube.dev/v1alpha1", metadata: ref };
  await client.create(Model, { ...head, kind: "Model", spec: { source: `pvc://${name}/demo.gguf` } } as Model);
  const spec = {
    modelRef: name,
    image: imageOf(registry, "engine"),
    contextSize: 512,
    resources: { cpu: "100m" },
    nodeSelector: { "kubernetes.io/hostname": nodeName },
    tolerations: [{ key: taint.key, operator: "Exists" }],
  };
  await client.create(InferenceService, { ...head, kind: "InferenceService", spec } as KubeObject as InferenceService);
  await untilRealReady(client);
}

/** Resolves when the service reports that it serves. */
export const untilRealReady = (client: KubeClient): Promise<unknown> =>
  until(
    async () => (await client.get(InferenceService, ref)).status?.phase === "Ready",
    "the service on the real node is ready",
    patience,
  );

/** Asks the one pod of the service at its own address. */
export async function askRealService(client: KubeClient): Promise<ServingState> {
  const { items } = await client.list(Pod, { namespace });
  const [pod, ...others] = items;
  if (pod === undefined || others.length > 0) throw new Error(`${items.length} pods on the real node`);
  const { choices } = JSON.parse(await askEngine(pod.status?.podIP ?? "")) as {
    choices: { message: { content: string } }[];
  };
  return {
    uid: pod.metadata.uid ?? "",
    restarts: pod.status?.containerStatuses?.reduce((sum, { restartCount }) => sum + restartCount, 0) ?? 0,
    answer: choices[0]?.message.content ?? "",
  };
}
