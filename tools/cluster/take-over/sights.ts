import { setTimeout as sleep } from "node:timers/promises";
import {
  apiVersionOf,
  controllerOf,
  Deployment,
  groupResourceOf,
  isReason,
  Job,
  type Kind,
  type KubeClient,
  type KubeObject,
  PersistentVolumeClaim,
  Pod,
  type ServedResource,
} from "@trivium/kube";
import type { Json, JsonObject } from "@trivium/std";
import { differencesOf } from "@trivium/testkit";
import type { Sights, UpstreamWorld } from "./world.ts";

/** Only what never happens takes that long. */
const patience = Number(process.env.TAKE_OVER_PATIENCE ?? 120_000);

/** What differs from what a world says, after patience; nothing when it is so. */
export async function differencesAfter(
  client: KubeClient,
  { namespace }: UpstreamWorld,
  sights: Sights,
): Promise<string[]> {
  const served = await client.discover();
  for (const end = performance.now() + patience; ; await sleep(200)) {
    const found = await Promise.all(
      Object.entries(sights).map(([name, expected]) => differencesAt(client, served, { name, expected, namespace })),
    );
    if (found.flat().length === 0 || performance.now() > end) return found.flat();
  }
}

interface Sight {
  readonly name: string;
  readonly expected: Json;
  readonly namespace: string;
}

async function differencesAt(client: KubeClient, served: readonly ServedResource[], sight: Sight): Promise<string[]> {
  const { name: place, expected, namespace } = sight;
  const [word = "", name = ""] = place.split("/");
  const kind = served.find((one) => isCalled(one, word));
  if (kind === undefined) throw new Error(`nothing is called ${word}`);
  const ref = kind.namespaced ? { namespace, name } : { name };
  try {
    return differencesOf(await client.get(kind, ref), expected).map((line) => `${place} ${line}`);
  } catch (error) {
    if (!isReason(error, "NotFound")) throw error;
    return expected === "absent" ? [] : [`${place} is not there`];
  }
}

const isCalled = (kind: ServedResource, word: string): boolean =>
  groupResourceOf(kind) === word ||
  (!word.includes(".") && [kind.singular, kind.plural, ...kind.shortNames].includes(word));

/** All that a take-over must not touch: pods and what they are made from, Jobs, claims. */
export interface Untouched {
  readonly workloads: readonly JsonObject[];
  readonly pods: readonly string[];
  readonly jobs: readonly string[];
  readonly claims: readonly string[];
}

export async function readUntouched(client: KubeClient, world: UpstreamWorld): Promise<Untouched> {
  const { namespace, namespaces } = world;
  const served = (await client.discover()).filter(
    (kind) => groupResourceOf(kind) === "inferenceservices.serving.kserve.io",
  );
  const identified = async (kind: Kind, place = namespace): Promise<string[]> => {
    const { items } = await client.list(kind, { namespace: place });
    return items.map(({ metadata }) => `${metadata.name} ${metadata.uid}`).sort();
  };
  const workloads = await Promise.all(
    [Deployment as Kind, ...served].map(async (kind) => (await client.list(kind, { namespace })).items.map(workloadOf)),
  );
  return {
    workloads: workloads.flat(),
    pods: await runningPods(client, world),
    // Some run in the namespace of the operator.
    jobs: (await Promise.all(["trivium-system", ...namespaces].map((each) => identified(Job, each)))).flat(),
    claims: await identified(PersistentVolumeClaim),
  };
}

/** Pods that serve, with what tells whether one of their containers was started again. */
async function runningPods(client: KubeClient, { namespace }: UpstreamWorld): Promise<string[]> {
  const { items } = await client.list(Pod, { namespace });
  const identified = items.map((pod) => {
    const { metadata, status } = pod;
    const isServing = controllerOf(pod)?.kind === "ReplicaSet";
    const containers = isServing
      ? [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
      : [];
    const started = containers.map(({ containerID = "", restartCount }) => `${containerID} ${restartCount}`);
    return [metadata.name, metadata.uid, ...started].join(" ");
  });
  return identified.sort();
}

/** A new revision of a Deployment is a restart of its pods, as is a new predictor of KServe. */
function workloadOf(object: KubeObject): JsonObject {
  const { name = "", uid = "", annotations = {}, labels = {} } = object.metadata;
  const { spec = {} } = object as { spec?: { template?: JsonObject; predictor?: JsonObject } };
  const revision = annotations["deployment.kubernetes.io/revision"] ?? "";
  // KServe copies both to the pods.
  const copied = spec.predictor === undefined ? {} : { labels, annotations };
  return { name, uid, revision, ...copied, template: spec.template ?? spec.predictor ?? {} };
}

/** Children in the namespace that still have fields of one of these managers, except for what is used unchanged. */
export async function leftToUpstream(
  client: KubeClient,
  { namespace, upstream }: UpstreamWorld,
  kinds: readonly Kind[],
): Promise<string[]> {
  const managers = new Set(upstream.map(({ by }) => by));
  const lists = await Promise.all(
    kinds.map(async (kind) =>
      (await client.list(kind, { namespace }).catch(() => ({ items: [] as KubeObject[] }))).items
        .filter((object) => controllerOf(object) !== undefined)
        .filter(({ metadata }) => metadata.managedFields?.some(({ manager = "" }) => managers.has(manager)))
        .map(({ metadata }) => `${apiVersionOf(kind)} ${kind.kind} ${metadata.name}`),
    ),
  );
  return lists.flat().sort();
}
