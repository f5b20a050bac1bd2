import { type api, isReason, type KubeClient, Namespace, Node, Pod, type Secret } from "@trivium/kube";
import { createRuntime, type Runtime, systemClock } from "@trivium/runtime";
import type { Instant } from "@trivium/std";
import { workloadReconcilers } from "@trivium/workloads";
import type { CountedAnswers } from "../gate.ts";
import { findImageFault } from "./find-image.ts";
import { type PodReference, referencesOf } from "./pod-references.ts";
import { provisionVolumes } from "./provision-volumes.ts";

/** What creates pods and places them: the reconcilers that do so on a machine without Kubernetes. */
const controllers = ["deployment-controller", "replicaset-controller", "statefulset-controller", "default-scheduler"];

export interface StartInput {
  readonly client: KubeClient;
  readonly asked: CountedAnswers;
  readonly now: Instant;
  /** Pods that were there before. */
  readonly before: ReadonlySet<string | undefined>;
  /** Where Secrets and ConfigMaps are that the copy does not have; absent where nothing but the copy is known. */
  readonly live?: Pick<KubeClient, "get"> | undefined;
}

export interface StartedPods {
  readonly runtime: Runtime;
  /** Starts what was placed since the last time, as far as that can be known; false where nothing is new. */
  advance(): Promise<boolean>;
  /** What could not be checked. */
  readonly unknown: ReadonlyMap<string, string>;
}

/**
 * Lets workloads create their pods, the scheduler place them, and checks what a node needs to start them. The pods do not run: what they
 * lack is in their status, where the reconcilers find it as they would on a cluster.
 */
export async function startPods(input: StartInput): Promise<StartedPods> {
  const { client, now, before } = input;
  await ensureSystem(client);
  await provisionVolumes(client);
  const runtime = createRuntime({
    client,
    reconcilers: workloadReconcilers.filter(({ name }) => controllers.includes(name)),
    answers: [],
    clock: { ...systemClock, now: () => now },
    identity: "trivium-plan-pods",
  });
  await runtime.start();
  const unknown = new Map<string, string>();
  const started = new Set<string>();
  return {
    runtime,
    unknown,
    async advance() {
      const { items } = await client.list(Pod);
      const pods = items.filter(({ metadata }) => !before.has(metadata.uid) && !started.has(metadata.uid ?? ""));
      const placed = pods.filter(({ spec }) => spec?.nodeName !== undefined);
      for (const pod of placed) {
        started.add(pod.metadata.uid ?? "");
        await start(pod, input, unknown);
      }
      const ended = items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
      for (const { metadata } of ended) await removePod(client, metadata);
      return placed.length > 0 || ended.length > 0;
    },
  };
}

/** The scheduler works on behalf of this namespace, which saved facts may lack. */
async function ensureSystem(client: KubeClient): Promise<void> {
  const system: Namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "kube-system" } };
  await client.create(Namespace, system).catch((error: unknown) => {
    if (!isReason(error, "AlreadyExists")) throw error;
  });
}

/** A pod that is deleted ends: no node is there to end it. */
const removePod = (client: KubeClient, { namespace = "", name = "" }: Pod["metadata"]): Promise<unknown> =>
  client.delete(Pod, { namespace, name }, { gracePeriodSeconds: 0 }).catch((error: unknown) => {
    if (!isReason(error, "NotFound")) throw error;
  });

async function start(pod: Pod, input: StartInput, unknown: Map<string, string>): Promise<void> {
  const { client, asked } = input;
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const node = await client.get(Node, { name: pod.spec?.nodeName ?? "" }).catch(() => undefined);
  const lacks = await findMissing(pod, input, unknown);
  const stateOf = async ({ name, image = "" }: api.Container): Promise<api.ContainerStatus> => {
    const fault = await findImageFault(image, { asked, pod, node });
    const lack = lacks.find(({ container = name }) => container === name);
    const waiting =
      fault !== undefined
        ? fault
        : lack === undefined
          ? { reason: "ContainerCreating" }
          : { reason: "CreateContainerConfigError", message: lack.why };
    return { name, image, imageID: "", ready: false, started: false, restartCount: 0, state: { waiting } };
  };
  const { namespace = "", name = "" } = pod.metadata;
  const status = {
    phase: "Pending",
    containerStatuses: await Promise.all(containers.map(stateOf)),
    ...(initContainers.length === 0 ? {} : { initContainerStatuses: await Promise.all(initContainers.map(stateOf)) }),
  };
  const patch = { type: "merge", body: { status } } as never;
  await client.patch(Pod, { namespace, name }, patch, { subresource: "status" });
}

interface Lack {
  readonly container?: string | undefined;
  readonly why: string;
}

async function findMissing(pod: Pod, input: StartInput, unknown: Map<string, string>): Promise<Lack[]> {
  const { namespace = "" } = pod.metadata;
  const found = await Promise.all(
    referencesOf(pod.spec ?? { containers: [] }).map(async (reference): Promise<Lack[]> => {
      const object = await lookUp(reference, namespace, input);
      const place = `${reference.kind.kind} ${namespace}/${reference.name}`;
      if (object === "unknown") unknown.set(place, "cannot be read, so whether it exists was not checked");
      if (object === "unknown") return [];
      const why = describeLack(reference, namespace, object);
      return why === undefined ? [] : [{ container: reference.container, why }];
    }),
  );
  return found.flat();
}

/** In the words of a kubelet. */
function describeLack(
  { kind, name, key }: PodReference,
  namespace: string,
  object: Keyed | undefined,
): string | undefined {
  if (object === undefined) return `${kind.kind.toLowerCase()} "${name}" not found`;
  if (key === undefined || object.data?.[key] !== undefined || object.stringData?.[key] !== undefined) return undefined;
  return `couldn't find key ${key} in ${kind.kind} ${namespace}/${name}`;
}

type Keyed = Pick<Secret, "data" | "stringData">;

/** In the copy, which has what the manifests have, else where the caller can read it. */
async function lookUp(
  { kind, name }: PodReference,
  namespace: string,
  { client, live }: StartInput,
): Promise<Keyed | "unknown" | undefined> {
  const from = async (api: Pick<KubeClient, "get">): Promise<Keyed | "unknown" | undefined> => {
    try {
      return (await api.get(kind as typeof Pod, { namespace, name })) as Keyed;
    } catch (error) {
      return isReason(error, "NotFound") ? undefined : "unknown";
    }
  };
  const inCopy = await from(client);
  if (inCopy !== undefined) return inCopy;
  return live === undefined ? "unknown" : from(live);
}
