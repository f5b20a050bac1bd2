import assert from "node:assert/strict";
import { test } from "node:test";
import { HorizontalPodAutoscaler, type KubeObject } from "@trivium/kube";
import type { Log } from "@trivium/runtime";
import type { JsonObject } from "@trivium/std";
import { Picker } from "./picker.ts";
import {
  installFresh,
  leaveAsUpstream,
  openServices,
  runOperator,
  usedUnchanged,
  writtenKinds,
} from "./take-over-world.ts";
import { type ManyServices, growthNamespace as namespace } from "./test-growth.ts";
import { asRandomUpstream, childrenIn, comparable, type KindedObject, upstreamManager } from "./upstream-copy.ts";

/** Each is another set of services and of leftovers; more with `TAKE_OVER_SEEDS=100`. */
const seeds = Number(process.env.TAKE_OVER_SEEDS ?? 6);

interface Step {
  readonly outcome: string;
  readonly object: string;
}

/**
 * Random services, and what another operator may have left of them: children that are rendered in another way, that are missing, and
 * autoscalers that we do not create. A safe take-over does what the plan says and ends in the children of a fresh installation except for
 * what the plan keeps; a full one ends in all of them.
 */
export function testRandomTakeOver(dialect: ManyServices): void {
  test("take-over: random services end as after a fresh installation, except for what the plan names", async () => {
    for (let seed = 1; seed <= seeds; seed += 1) await playSeed(dialect, seed);
  });
}

async function playSeed(dialect: ManyServices, seed: number): Promise<void> {
  const kinds = writtenKinds(dialect);
  const fresh = await installFresh(dialect, seed);
  const { children } = fresh;
  const cluster = await openServices(dialect, seed);
  const { client } = cluster;
  const pick = new Picker(seed * 7919);
  await leaveAsUpstream(dialect, client, {
    fresh,
    // Owners of other children are never missing, nor are Jobs: theirs would be repeated.
    copy: (child, owners) =>
      isSpared(child) || fresh.made.includes(child) || pick.below(6) > 0
        ? asRandomUpstream(child, owners, pick)
        : undefined,
  });
  for (const child of children)
    if (child.kind.kind === "Deployment" && pick.flip()) await addScaler(client, child, children);
  const before = await childrenIn(client, kinds);

  const plan = new Map<string, string>();
  const info: Log["info"] = (fields) => {
    for (const { object, outcome } of (fields as { plan?: readonly Step[] }).plan ?? []) plan.set(object, outcome);
  };
  const log: Log = { debug() {}, info, warn() {}, error() {} };
  await (await runOperator(dialect, cluster, { adopt: "plan", log })).stop();
  assert.deepEqual(await childrenIn(client, kinds), before, `seed ${seed}: a plan changes nothing`);

  await (await runOperator(dialect, cluster, { adopt: "safe" })).stop();
  assertSafe({ before, fresh: children, plan, after: await childrenIn(client, kinds) }, `seed ${seed}`);

  await (await runOperator(dialect, cluster, { adopt: "all" })).stop();
  const all = await childrenIn(client, kinds);
  const judged = (children: readonly KindedObject[]): JsonObject[] =>
    children.filter(({ kind }) => !usedUnchanged.has(kind.kind)).map(comparable);
  assert.deepEqual(judged(all), judged(children), `seed ${seed}: all`);
  await cluster.close();
}

/** Kinds that own others, and those that are used unchanged. */
const isSpared = ({ kind }: KindedObject): boolean => usedUnchanged.has(kind.kind) || kind.kind === "StatefulSet";

/** An autoscaler that we do not create, where there is none. */
async function addScaler(
  client: Parameters<typeof childrenIn>[0],
  { object }: KindedObject,
  fresh: readonly KindedObject[],
): Promise<void> {
  const { name = "" } = object.metadata;
  if (
    fresh.some(({ kind, object: { metadata } }) => /Autoscaler|ScaledObject/.test(kind.kind) && metadata.name === name)
  )
    return;
  const live = (await childrenIn(client, [deploymentKind(fresh)])).find((one) => one.object.metadata.name === name);
  if (live === undefined) return;
  const { ownerReferences = [] } = live.object.metadata;
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name };
  const scaler = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler" as const,
    metadata: { name, namespace, ownerReferences },
    spec: { scaleTargetRef, maxReplicas: 2 },
  };
  await client.create(HorizontalPodAutoscaler, scaler as HorizontalPodAutoscaler, upstreamManager);
}

const deploymentKind = (fresh: readonly KindedObject[]) =>
  (fresh.find(({ kind }) => kind.kind === "Deployment") as KindedObject).kind;

interface Played {
  readonly before: readonly KindedObject[];
  readonly after: readonly KindedObject[];
  readonly fresh: readonly KindedObject[];
  readonly plan: ReadonlyMap<string, string>;
}

function assertSafe({ before, after, fresh, plan }: Played, seed: string): void {
  const [was, is, wanted] = [before, after, fresh].map((all) => new Map(all.map((one) => [nameOf(one), one.object])));
  for (const name of new Set([...(was?.keys() ?? []), ...(is?.keys() ?? []), ...(wanted?.keys() ?? [])])) {
    const [old, now, own] = [was?.get(name), is?.get(name), wanted?.get(name)];
    const outcome = plan.get(name);
    const about = `${seed}: ${name}, ${outcome}`;
    if (old === undefined) assert.equal(outcome, "created", about);
    if (now === undefined) assert.equal(outcome, "deleted", about);
    // Whatever the plan says: a template that changes is a restart, and only autoscalers may end.
    if (old !== undefined && now !== undefined) assert.deepEqual(podsOf(now), podsOf(old), about);
    if (outcome === "deleted") assert.match(name, /^(HorizontalPodAutoscaler|ScaledObject) /, about);
    // What the plan does not name is not written.
    if (outcome === undefined) assert.deepEqual(contentOf(now), contentOf(old), about);
    if (outcome === "kept") assert.deepEqual(podsOf(now), podsOf(old), about);
    if (outcome === "left") assert.deepEqual(contentOf(now), contentOf(old), about);
    if (outcome === "created" || outcome === "changed" || outcome === "taken")
      assert.deepEqual(settingsOf(now), settingsOf(own), about);
  }
}

const nameOf = ({ kind, object: { metadata } }: KindedObject): string =>
  `${kind.kind} ${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${metadata.name}`;

const specOf = (object: KubeObject | undefined): JsonObject =>
  (object as { spec?: JsonObject } | undefined)?.spec ?? {};
const podsOf = (object: KubeObject | undefined) => specOf(object).template;
const contentOf = (object: KubeObject | undefined) => ({ spec: specOf(object), labels: object?.metadata.labels });

/** A Service in front of pods that are kept has their selector and ports. */
function settingsOf(object: KubeObject | undefined): JsonObject {
  const { clusterIP: _, clusterIPs: __, selector: ___, ports: ____, ...spec } = specOf(object);
  const { data = {} } = (object ?? {}) as { data?: JsonObject };
  return { spec, data, labels: object?.metadata.labels ?? {} } as JsonObject;
}
