import {
  builtInResources,
  createApi,
  establishedDefinition,
  openMemoryStore,
  type SeedObject,
  seedStore,
} from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import type { ServingDialect } from "@trivium/domain";
import {
  ApiError,
  CustomResourceDefinition,
  emitCrd,
  groupResourceOf,
  isConditionTrue,
  type Kind,
  type KubeClient,
} from "@trivium/kube";
import { type Answered, askingKey, type Query } from "@trivium/reconcile";
import { Refusal } from "@trivium/std";
import type { Facts } from "./facts.ts";
import { kindOf } from "./kinds.ts";

/** An API server in memory that has the objects of some facts. What is written to it is lost. */
export interface Shadow {
  readonly client: KubeClient;
  /** Resolves when the server itself has nothing left to do. */
  rest(): Promise<void>;
  close(): Promise<void>;
}

type AdmissionPort = NonNullable<Parameters<typeof createApi>[0]["admission"]>;

export interface ShadowOptions {
  readonly dialects: readonly ServingDialect[];
  readonly admission?: AdmissionPort | undefined;
}

export async function openShadow(facts: Facts, { dialects, admission }: ShadowOptions): Promise<Shadow> {
  const store = openMemoryStore();
  const resources = builtInResources({ loopbackEndpoints: "allowed", unenforced: "warned" });
  const own = dialects.flatMap(({ kinds }) => kinds.map((kind) => establishedDefinition(emitCrd(kind), facts.now)));
  await seedStore(store, resources, [...own, ...seedsOf(facts, dialects)]);
  const api = createApi({ store, resources, clock: () => facts.now, admission });
  await api.ready;
  const client = createClient(api.transport({ user: "trivium", groups: ["system:masters"] }));
  const definitions = facts.served.map(openCrd);
  for (const definition of definitions) await client.create(CustomResourceDefinition, definition);
  await api.idle();
  for (const { metadata } of definitions) await untilEstablished(client, metadata.name ?? "");
  const unreadable = new Set(facts.unreadable);
  const list: KubeClient["list"] = (kind, options) =>
    unreadable.has(groupResourceOf(kind)) ? Promise.reject(forbidden(kind)) : client.list(kind, options);
  return { client: { ...client, list }, rest: () => api.idle(), close: () => api.close() };
}

/** The answers of some facts, in place of the world outside. What was not asked then is not known. */
export function answersIn({ answers }: Facts, missing: () => Error = notSaved): Answered[] {
  const byQuery = Map.groupBy(answers, ({ query }) => query);
  return [...byQuery].map(([name, given]) => {
    const query = { name, ttl: Number.POSITIVE_INFINITY } as Query<unknown, unknown>;
    const facts = new Map(given.map(({ args, fact }) => [askingKey(query, args), fact]));
    return { query, answer: async (args: unknown) => readFact(facts.get(askingKey(query, args)), missing) };
  });
}

const notSaved = (): Error => new Error("not among the saved facts");

function readFact(fact: Facts["answers"][number]["fact"] | undefined, missing: () => Error): unknown {
  if (fact === undefined) throw missing();
  if (fact.is === "unreachable") throw new Error(fact.why);
  return fact.is === "known" ? fact.value : undefined;
}

function seedsOf({ objects, served }: Facts, dialects: readonly ServingDialect[]): SeedObject[] {
  const seeds = objects.flatMap((object) => {
    const kind = kindOf(object, dialects, served);
    return kind === undefined ? [] : [{ kind, object }];
  });
  const byPlace = Map.groupBy(
    seeds,
    ({ kind, object: { metadata } }) => `${groupResourceOf(kind)} ${metadata.namespace} ${metadata.name}`,
  );
  const twice = [...byPlace.values()].find(({ length }) => length > 1)?.[0];
  if (twice === undefined) return seeds;
  throw new Refusal(`${twice.object.kind} ${twice.object.metadata.name} is in the facts twice; remove one`);
}

/** A kind whose definition only its own project has: everything is accepted. */
const openCrd = (kind: Kind): CustomResourceDefinition => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  // Groups of Kubernetes itself ask for this word.
  metadata: {
    name: groupResourceOf(kind),
    annotations: { "api-approved.kubernetes.io": "unapproved, a stand-in for the definition of a cluster" },
  },
  spec: {
    group: kind.group,
    names: {
      kind: kind.kind,
      plural: kind.plural,
      singular: kind.kind.toLowerCase(),
      listKind: `${kind.kind}List`,
    },
    scope: kind.namespaced ? "Namespaced" : "Cluster",
    versions: [
      {
        name: kind.version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
});

async function untilEstablished(client: KubeClient, name: string): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) {
    const { status } = await client.get(CustomResourceDefinition, { name });
    if (isConditionTrue(status?.conditions, "Established")) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`CustomResourceDefinition ${name} was not established`);
}

const forbidden = (kind: Kind): ApiError =>
  new ApiError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    reason: "Forbidden",
    code: 403,
    message: `no permission to list ${groupResourceOf(kind)}`,
  });
