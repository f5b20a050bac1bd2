import type { ServingDialect } from "@trivium/domain";
import { withKind } from "@trivium/explain";
import {
  type AnyObject,
  ApiError,
  groupResourceOf,
  isReason,
  type Kind,
  type KubeClient,
  Node,
  Pod,
  Secret,
} from "@trivium/kube";
import { modelStoreWith } from "@trivium/local";
import type { Answered } from "@trivium/reconcile";
import { createRuntime, type Runtime, systemClock } from "@trivium/runtime";
import { Refusal } from "@trivium/std";
import type { Facts } from "../facts/facts.ts";
import { FaultCollector, forEachOrFaults } from "../facts/faults.ts";
import { kindOf } from "../facts/kinds.ts";
import { openShadow, type Shadow } from "../facts/shadow.ts";
import { applyManifest } from "./apply-manifest.ts";
import { assume, type PlayedLogs, type StartedPods, startPods, withPlayedLogs } from "./assumed/index.ts";
import { areEqualStates, type PlannedObject } from "./difference.ts";
import { type CountedAnswers, countAnswers, createGate } from "./gate.ts";
import { plannedKinds } from "./live-facts.ts";

export interface SimulationInput {
  readonly facts: Facts;
  readonly manifests: readonly AnyObject[];
  /** Where each manifest is written: `chat.yaml: document 2`. */
  readonly places?: ReadonlyMap<AnyObject, string>;
  readonly namespace: string;
  readonly dialects: readonly ServingDialect[];
  /** Who answers what only the world outside the API knows, given the API. */
  answers(client: KubeClient): readonly Answered[];
  /** Where Secrets are looked up by name, with the rights of the caller. */
  readonly secrets?: Pick<KubeClient, "get"> | undefined;
}

/** Two states of an API: before the manifests were applied, and when everything that follows from them was decided. */
export interface Simulation {
  readonly before: readonly PlannedObject[];
  readonly after: readonly PlannedObject[];
  /** The second state once pods were created and placed, with what they lack in the status of their owners. */
  readonly started: readonly PlannedObject[];
  /** What could not be checked about starting pods. */
  readonly unchecked: ReadonlyMap<string, string>;
  readonly client: KubeClient;
  /** The answers that were used, and those that were missing. */
  readonly asked: CountedAnswers;
  close(): Promise<void>;
}

/** One question to a registry or a hub takes at most this long; what is not answered by then is reported as unknown. */
export const patience = 20_000;

/** Longer than any chain of downloads and what waits for them. */
const maxSteps = 16;

/**
 * Applies manifests to a copy of an API in memory, and lets the reconcilers decide and write there what they would write. Pods do not run:
 * downloads are assumed to succeed, and what else depends on a running pod is as it was.
 */
export async function simulate(input: SimulationInput): Promise<Simulation> {
  const { facts, dialects } = input;
  const port: { runtime?: Runtime } = {};
  const admission = {
    fill: (of: never, write: never) => port.runtime?.admitter.fill(of, write) ?? (write as { object: object }).object,
    judge: (of: never, write: never) => port.runtime?.admitter.judge(of, write) ?? { faults: [], warnings: [] },
  };
  const shadow = await openShadow(facts, { dialects, admission });
  try {
    return await play(input, shadow, port);
  } catch (error) {
    await port.runtime?.stop();
    await shadow.close();
    throw error;
  }
}

async function play(input: SimulationInput, shadow: Shadow, port: { runtime?: Runtime }): Promise<Simulation> {
  const { facts, dialects, manifests } = input;
  const gate = createGate();
  const client = withSecrets(shadow.client, input.secrets);
  const logs: PlayedLogs = new Map();
  const asked = countAnswers(withPlayedLogs(input.answers(client), logs), patience);
  const runtime = createRuntime({
    client,
    reconcilers: gate.reconcilers(dialects.flatMap(({ reconcilers }) => reconcilers)),
    admissions: dialects.flatMap(({ admissions = [] }) => admissions),
    answers: asked.answers,
    clock: { ...systemClock, now: () => facts.now },
    identity: "trivium-plan",
  });
  port.runtime = runtime;
  await runtime.start();
  const settle = () => rest({ shadow, runtime, asked });
  await settle();
  const wanted = forEachOrFaults(manifests, (manifest) => placed(manifest, input));
  const kinds = plannedKinds(
    dialects,
    wanted.map(({ kind }) => kind),
  );
  const before = await dump(client, kinds);
  gate.open();
  await applyAll(client, wanted);
  await settle();
  const modelStore = modelStoreWith(facts.options);
  const assumptions = assume({ client, asked, logs, now: facts.now, before, dialects, modelStore });
  for (let step = 0; step < maxSteps && (await assumptions.advance()); step += 1) await settle();
  const after = assumptions.withoutAssumed(await dump(client, kinds));
  const pods = await placePods(input, { shadow, asked, before, after });
  const working = { shadow, asked, runtime: bothOf(runtime, pods.runtime) };
  for (let step = 0; step < maxSteps && (await pods.advance()); step += 1) await rest(working);
  const started = await dump(client, kinds);
  const close = async () => {
    await pods.runtime?.stop();
    await runtime.stop();
    await shadow.close();
  };
  return { before, after, started, unchecked: pods.unknown, client, asked, close };
}

type Placing = Pick<StartedPods, "advance" | "unknown"> & { readonly runtime?: Runtime };

interface Placed {
  readonly shadow: Shadow;
  readonly asked: CountedAnswers;
  readonly before: readonly PlannedObject[];
  readonly after: readonly PlannedObject[];
}

/** Pods are placed on nodes that are known; without any, what they need cannot be compared with anything. */
async function placePods({ facts, secrets }: SimulationInput, placed: Placed): Promise<Placing> {
  const { shadow, asked, before, after } = placed;
  const { client } = shadow;
  if (areEqualStates(before, after)) return { advance: async () => false, unknown: new Map() };
  const { items: nodes } = await client.list(Node).catch(() => ({ items: [] as Node[] }));
  const why = facts.unreadable.includes(groupResourceOf(Node)) ? "no permission to list nodes" : "no node is known";
  if (nodes.length === 0)
    return {
      advance: async () => false,
      unknown: new Map([["nodes", `${why}, so GPUs, memory and processors were not checked`]]),
    };
  const uids = before.filter(({ kind }) => kind.kind === Pod.kind).map(({ object }) => object.metadata.uid);
  const pods = await startPods({ client, asked, now: facts.now, before: new Set(uids), live: secrets });
  await rest({ shadow, asked, runtime: pods.runtime });
  return pods;
}

const bothOf = (one: Runtime, other: Runtime | undefined): Pick<Runtime, "whenIdle"> => ({
  whenIdle: async () => {
    await Promise.all([one.whenIdle(), other?.whenIdle()]);
  },
});

interface PlacedObject extends PlannedObject {
  /** `chat.yaml: document 2: `, where that is known. */
  readonly prefix: string;
}

function placed(manifest: AnyObject, { dialects, namespace, places }: SimulationInput): PlacedObject {
  const { apiVersion, kind: name, metadata } = manifest;
  const place = places?.get(manifest);
  const prefix = place === undefined ? "" : `${place}: `;
  const kind = kindOf(manifest, dialects);
  if (kind === undefined)
    throw new Refusal(`${prefix}${apiVersion} ${name} is unknown; plan understands Kubernetes, AIM, OME and LLMKube`);
  if (!metadata?.name) throw new Refusal(`${prefix}${name} has no metadata.name; add it`);
  return { kind, prefix, object: kind.namespaced ? { ...manifest, metadata: { namespace, ...metadata } } : manifest };
}

/** All of them, also after one that is refused: each fault is reported. */
async function applyAll(client: KubeClient, wanted: readonly PlacedObject[]): Promise<void> {
  const faults = new FaultCollector();
  for (const { kind, object, prefix } of wanted)
    await applyManifest(client, kind, object).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      const message = `${kind.kind} ${object.metadata.name}: ${error.message}${remedyOf(error)}`;
      faults.add(new Refusal(`${prefix}${message}`));
    });
  faults.check();
}

/** Manifests are applied in their order, as kubectl does. */
const remedyOf = ({ status }: ApiError): string =>
  status.details?.kind === "namespaces" ? "; create it first, or add it to the manifests before this object" : "";

/** A Secret that the manifests do not have is that of the caller's cluster. */
function withSecrets(client: KubeClient, secrets: SimulationInput["secrets"]): KubeClient {
  if (secrets === undefined) return client;
  const get: KubeClient["get"] = async (kind, ref, options) => {
    if (groupResourceOf(kind) !== groupResourceOf(Secret)) return client.get(kind, ref, options);
    return client.get(kind, ref, options).catch((error: unknown) => {
      if (!isReason(error, "NotFound")) throw error;
      return secrets.get(kind, ref, options);
    });
  };
  return { ...client, get };
}

export async function dump(client: KubeClient, kinds: readonly Kind[]): Promise<PlannedObject[]> {
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const { items } = await client.list(kind).catch((error: unknown) => {
        if (isReason(error, "NotFound", "Forbidden")) return { items: [] };
        throw error;
      });
      const objects = items.map((item) => withKind(kind, item));
      return objects.filter((object) => !isStanding(object)).map((object) => ({ kind, object }));
    }),
  );
  return lists.flat();
}

/** What Kubernetes puts into every namespace. */
const isStanding = ({ kind, metadata: { name } }: AnyObject): boolean =>
  (kind === "ServiceAccount" && name === "default") || (kind === "ConfigMap" && name === "kube-root-ca.crt");

export interface Working {
  readonly shadow: Shadow;
  readonly runtime: Pick<Runtime, "whenIdle">;
  readonly asked: CountedAnswers;
}

/** Nothing queued, nothing asked, and still so after what was on its way has arrived. A reconciler that never rests ends with the patience. */
export async function rest({ shadow, runtime, asked }: Working): Promise<void> {
  const end = performance.now() + 2 * patience;
  for (let quiet = 0; quiet < 5 && performance.now() < end; ) {
    await shadow.rest();
    const idle = runtime.whenIdle().then(() => true);
    const isIdle = await Promise.race([idle, new Promise((resolve) => setTimeout(resolve, 50, false))]);
    quiet = isIdle === true && asked.pending() === 0 ? quiet + 1 : 0;
    await new Promise((resolve) => setTimeout(resolve, asked.pending() === 0 ? 2 : 20));
  }
}
