import { setTimeout as sleep } from "node:timers/promises";
import { Deployment, type KubeClient, type KubeObject, type Transport } from "@trivium/kube";
import { inParallel } from "../llmkube/in-parallel.ts";
import { type AuditedCall, isChild, isWrite } from "./audit.ts";
import { bareNamespace, type Fleet, namespace } from "./fleets.ts";

/** What a bare client did: when it had created the last manifest, the last child, and all; on staged nodes, when its pods were ready. */
export interface BareFigures {
  readonly created?: number;
  readonly lastChild: number;
  readonly whole: number;
  readonly failed: number;
  readonly ready?: { readonly count: number; readonly took: number };
}

/** A recorded write, moved to another namespace. */
export interface ReplayedCall {
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly type: string;
  readonly body: string;
  readonly isChild: boolean;
}

const methods = { create: "POST", update: "PUT", patch: "PATCH", delete: "DELETE" } as const;

/** Successful writes of a record, in its order. */
export const replayable = (calls: readonly AuditedCall[]): readonly AuditedCall[] =>
  calls.filter((call) => isWrite(call) && call.code < 300 && call.verb in methods && call.namespace === namespace);

/** A write as it is made in the other namespace; owners have the uid that they have there. */
export function replayOf(call: AuditedCall, uids: ReadonlyMap<string, string>): ReplayedCall {
  return {
    method: methods[call.verb as keyof typeof methods],
    path: call.uri.replace(`/namespaces/${namespace}/`, `/namespaces/${bareNamespace}/`),
    type: typeOf(call),
    body: JSON.stringify(moved(call.body ?? {}, uids)),
    isChild: isChild(call),
  };
}

/** The content type is not recorded: an apply has `force` in its address, and a JSON patch is a list. */
function typeOf({ verb, uri, body }: AuditedCall): string {
  if (verb !== "patch") return "application/json";
  if (/[?&]force=/.test(uri)) return "application/apply-patch+yaml";
  return Array.isArray(body) ? "application/json-patch+json" : "application/merge-patch+json";
}

/** What is about one object only (its uid and version) is left out; references lead to the like object of the other namespace. */
function moved(body: unknown, uids: ReadonlyMap<string, string>): unknown {
  const text = JSON.stringify(body).replaceAll(`"namespace":"${namespace}"`, `"namespace":"${bareNamespace}"`);
  return JSON.parse(text, (key, value: unknown) => {
    if (key === "uid" && typeof value === "string") return uids.get(value);
    return key === "resourceVersion" ? undefined : value;
  }) as unknown;
}

interface Server {
  readonly client: KubeClient;
  readonly transport: Transport;
}

/** Creates the same services, then makes the same writes in their order, all known beforehand. */
export async function runBareClient(
  { client, transport }: Server,
  {
    fleet,
    names,
    calls,
  }: { readonly fleet: Fleet; readonly names: readonly string[]; readonly calls: readonly AuditedCall[] },
): Promise<BareFigures> {
  const copied = await uidsByName(client, fleet);
  const uids = new Map<string, string>();
  const began = performance.now();
  const since = (): number => performance.now() - began;
  await inParallel(
    names.map((name) => async () => {
      for (const { kind, object } of fleet.objectsOf(name)) {
        const there = { ...object, metadata: { ...object.metadata, namespace: bareNamespace } };
        const { metadata } = await client.create(kind, there as KubeObject);
        uids.set(copied.get(`${kind.kind}/${metadata.name}`) ?? "", metadata.uid ?? "");
      }
    }),
  );
  const created = since();
  let lastChild = 0;
  let failed = 0;
  await inParallel(
    replayable(calls).map((call) => async () => {
      const { method, path, type, body, isChild: isOfChild } = replayOf(call, uids);
      const headers = { accept: "application/json", "content-type": type };
      const { status } = await transport({ method, path, headers, body });
      if (status >= 300) failed += 1;
      if (isOfChild) lastChild = since();
    }),
  );
  return { created, lastChild, whole: since(), failed };
}

async function uidsByName(client: KubeClient, fleet: Fleet): Promise<ReadonlyMap<string, string>> {
  const uids = new Map<string, string>();
  for (const { kind } of fleet.objectsOf("any"))
    for (const { metadata } of (await client.list(kind, { namespace })).items)
      uids.set(`${kind.kind}/${metadata.name}`, metadata.uid ?? "");
  return uids;
}

/** When the pods of all Deployments of the bare client were ready, in milliseconds since a moment; ends where none becomes ready any more. */
export async function untilBareReady(client: KubeClient, since: number): Promise<BareFigures["ready"]> {
  let ready = { count: 0, took: 0 };
  let changed = Date.now();
  for (;;) {
    const { items } = await client.list(Deployment, { namespace: bareNamespace });
    const count = items.filter(({ status }) => (status?.readyReplicas ?? 0) > 0).length;
    if (count > ready.count) {
      ready = { count, took: Date.now() - since };
      changed = Date.now();
    }
    if (count === items.length || Date.now() - changed > patience) return ready;
    await sleep(500);
  }
}

const patience = 20_000;
