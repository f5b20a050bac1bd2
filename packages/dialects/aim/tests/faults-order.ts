import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  type AnyObject,
  Deployment,
  HTTPRoute,
  isReason,
  Job,
  type Kind,
  type KubeClient,
  Namespace,
  Node,
  PersistentVolumeClaim,
  Secret,
  Service,
} from "@trivium/kube";
import type { Json, JsonObject } from "@trivium/std";
import { type Backend, embeddedBackend } from "@trivium/testkit";
import fc from "fast-check";
import { AIMModel, AIMService, AIMServiceTemplate, aim } from "../src/index.ts";
import { AIMModelCache } from "../src/kinds/model-cache.ts";
import { AIMRuntimeConfig } from "../src/kinds/runtime-config.ts";
import { AIMTemplateCache } from "../src/kinds/template-cache.ts";
import { operator, thirdPartyApis } from "./story-operator.ts";

const apiVersion = "aim.silogen.ai/v1alpha1";
const namespace = "team";
const image = "registry.example/aim-foo:1.0";
const minute = 60_000;
/** Fixed, so that a failure on one machine is one on every machine; another one is asked for by `FAULT_SEED`, more runs by `FAULT_RUNS`. */
const seed = Number(process.env.FAULT_SEED ?? 1_127);
const numRuns = Number(process.env.FAULT_RUNS ?? 1);

const given = {
  about: "Everything comes and goes in any order",
  nodes: [{ name: "gpu-a", capacity: { cpu: "16", memory: "64Gi", pods: "110", "amd.com/gpu": "8" } }],
  answers: {
    imageConfig: {
      [image]: {
        labels: {
          "com.amd.aim.model.recommendedDeployments":
            '[{"gpuModel":"MI300X","gpuCount":1,"precision":"fp8","metric":"latency"}]',
        },
      },
    },
  },
  stages: [
    {
      name: "dry run",
      match: { container: "discovery" },
      life: {
        log: [
          {
            text: '[{"profile":{"metadata":{"engine":"vllm","gpu":"MI300X","gpu_count":1,"precision":"fp8","metric":"latency","type":"optimized"}},"models":[{"name":"acme/foo","source":"hf://acme/foo","size_gb":1}]}]',
          },
        ],
        exit: { after: "1s", code: 0 },
      },
    },
  ],
};

interface Thing {
  readonly kind: Kind;
  readonly object: AnyObject;
}

const thing = (kind: Kind, name: string, rest: JsonObject): Thing => ({
  kind,
  object: {
    apiVersion: kind.group === "" ? "v1" : apiVersion,
    kind: kind.kind,
    metadata: { name, namespace },
    ...rest,
  } as AnyObject,
});

/** What a team writes, in the order in which a person would. */
const things: readonly Thing[] = [
  thing(AIMRuntimeConfig, "team", {
    spec: {
      env: [{ name: "TEAM", value: "blue" }],
      routing: { enabled: true, gatewayRef: { name: "front" }, pathTemplate: "/{.metadata.name}" },
    },
  }),
  thing(Secret, "login", {
    type: "kubernetes.io/dockerconfigjson",
    data: { ".dockerconfigjson": btoa('{"auths":{}}') },
  }),
  thing(AIMModel, "foo", { spec: { image, imagePullSecrets: [{ name: "login" }], runtimeConfigName: "team" } }),
  thing(AIMServiceTemplate, "own", {
    spec: {
      modelName: "foo",
      type: "unoptimized",
      gpuSelector: { model: "MI300X", count: 1 },
      modelSources: [{ modelId: "acme/foo", sourceUri: "hf://acme/foo", size: "1Gi" }],
    },
  }),
  thing(AIMService, "named", {
    spec: { model: { ref: "foo" }, templateRef: "own", runtimeConfigName: "team", caching: { mode: "Shared" } },
  }),
  thing(AIMService, "free", { spec: { model: { ref: "foo" }, runtimeConfigName: "team" } }),
];

const nothing: Thing = thing(Secret, "nothing", {});

/** What was made of them and somebody may delete by hand; it has to come back. */
const made: readonly Kind[] = [
  ...[Deployment, Service, HTTPRoute, PersistentVolumeClaim, Job],
  ...[AIMServiceTemplate, AIMTemplateCache, AIMModelCache],
];

type Turn = { readonly passes: number } & (
  | { readonly turn: "thing"; readonly what: number; readonly comes: boolean }
  | { readonly turn: "label"; readonly comes: boolean }
  | { readonly turn: "operator"; readonly comes: boolean }
  | { readonly turn: "loss"; readonly of: number }
);

async function take(backend: Backend, turn: Turn): Promise<void> {
  const { client, pass } = backend;
  switch (turn.turn) {
    case "thing":
      await (turn.comes ? bring(client, things[turn.what]) : remove(client, things[turn.what]));
      break;
    case "label":
      await label(client, turn.comes ? "74a1" : null);
      break;
    case "operator":
      await employ(backend, turn.comes);
      break;
    case "loss":
      await lose(client, made[turn.of] ?? Deployment);
      break;
  }
  if (turn.passes > 0) await pass(turn.passes);
}

async function bring(client: KubeClient, { kind, object }: Thing = nothing): Promise<void> {
  await client.apply(kind, object, { fieldManager: "person", force: true });
}

async function remove(client: KubeClient, { kind, object }: Thing = nothing): Promise<void> {
  await client.delete(kind, { namespace, name: object.metadata.name ?? "" }).catch(unlessGone);
}

async function label(client: KubeClient, value: string | null): Promise<void> {
  const body = { metadata: { labels: { "amd.com/gpu.device-id": value } } };
  await client.patch(Node, { name: "gpu-a" }, { type: "merge", body });
}

async function employ({ operator: harness }: Backend, isWanted: boolean): Promise<void> {
  const isThere = harness.taken.length > 0;
  if (isThere !== isWanted) await (isWanted ? harness.start() : harness.stop());
}

/** All of a kind that were made, at once; what a person wrote stays. */
async function lose(client: KubeClient, kind: Kind): Promise<void> {
  const { items } = await client.list(kind, { namespace });
  const own = new Set(things.filter((one) => one.kind === kind).map(({ object }) => object.metadata.name));
  for (const { metadata } of items)
    if (!own.has(metadata.name)) await client.delete(kind, { namespace, name: metadata.name ?? "" }).catch(unlessGone);
}

function unlessGone(error: unknown): void {
  if (!isReason(error, "NotFound")) throw error;
}

const inOrder: readonly Turn[] = [
  { turn: "operator", comes: true, passes: 0 },
  ...things.map((_, what) => ({ turn: "thing", what, comes: true, passes: 0 }) as const),
  { turn: "label", comes: true, passes: 0 },
];

/** Plays the turns in a fresh namespace, waits until all is at rest, and tells how it looks then. */
async function play(backend: Backend, turns: readonly Turn[]): Promise<Json> {
  const { client, writes } = backend;
  await label(client, null);
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  for (const turn of turns) await take(backend, turn);
  await backend.pass(4 * minute);
  writes.length = 0;
  await backend.pass(2 * minute);
  assert.deepEqual(writes, [], "nothing is written at rest");
  await backend.operator.stop();
  await backend.operator.start();
  await backend.pass(minute);
  assert.deepEqual(writes, [], "another operator finds everything as it should be");
  const state = await stateOf(backend);
  await client.delete(Namespace, { name: namespace });
  await backend.pass(minute);
  await assert.rejects(client.get(Namespace, { name: namespace }), "the namespace is held back");
  return state;
}

const compared: readonly Kind[] = [
  ...[AIMModel, AIMServiceTemplate, AIMService, AIMTemplateCache, AIMModelCache, AIMRuntimeConfig],
  ...[Deployment, Service, HTTPRoute, PersistentVolumeClaim],
];

async function stateOf({ client }: Backend): Promise<Json> {
  const lists = compared.map(async (kind) => {
    const { items } = await client.list(kind, { namespace });
    return items.map(
      (item) => [`${kind.kind} ${item.metadata.name}`, withoutHistory(item as unknown as Json)] as const,
    );
  });
  return Object.fromEntries((await Promise.all(lists)).flat().sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What tells when and how often something happened, and of which choices there were at that time. */
const history = new Set([
  ...["uid", "resourceVersion", "generation", "observedGeneration", "managedFields", "templateMatching"],
  ...["creationTimestamp", "lastTransitionTime", "lastUpdateTime", "lastAttemptTime", "lastUsed", "clusterIP"],
  ...["clusterIPs", "volumeName", "deployment.kubernetes.io/revision", "annotations", "replicaSets"],
]);

function withoutHistory(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutHistory);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !history.has(key));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutHistory(inner as Json)]));
}

async function open(t: TestContext, errors: string[]): Promise<Backend> {
  const onError = (message: string, fields: object) => errors.push(`${message} ${Object.values(fields).join(" ")}`);
  const backend = await embeddedBackend({ kinds: [...aim.kinds] as never, thirdPartyApis, operator, onError })({
    name: "order",
    given,
  });
  t.after(() => backend.stop());
  return backend;
}

const passes = fc.constantFrom(0, 0, 3_000, 70_000);
const comes = fc.boolean();
const anyTurn: fc.Arbitrary<Turn> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ turn: fc.constant("thing" as const), what: fc.nat(things.length - 1), comes, passes }),
  },
  { weight: 2, arbitrary: fc.record({ turn: fc.constant("label" as const), comes, passes }) },
  { weight: 2, arbitrary: fc.record({ turn: fc.constant("operator" as const), comes, passes }) },
  { weight: 3, arbitrary: fc.record({ turn: fc.constant("loss" as const), of: fc.nat(made.length - 1), passes }) },
);

test("the final state does not depend on the order in which objects are created, deleted and recreated", async (t) => {
  const errors: string[] = [];
  const backend = await open(t, errors);
  const straight = await play(backend, inOrder);
  const states = Object.entries(straight as Record<string, { status?: { status?: string } }>)
    .filter(([name]) => name.startsWith("AIM"))
    .map(([name, { status }]) => `${name}: ${status?.status}`);
  t.diagnostic(`seed ${seed}; at the end ${states.join(", ")}`);
  const turns = fc.array(anyTurn, { minLength: 6, maxLength: 12 });
  const scenario = fc.tuple(turns, fc.shuffledSubarray([...inOrder], { minLength: inOrder.length }));
  const property = fc.asyncProperty(scenario, async ([before, order]) => {
    assert.deepEqual(await play(backend, [...before, ...order]), straight);
  });
  await fc.assert(property, { seed, numRuns, endOnFailure: true });
  assert.deepEqual(errors, []);
});
