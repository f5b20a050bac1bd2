import type { KubeClient, KubeObject, Transport } from "@trivium/kube";
import { inParallel } from "../llmkube/in-parallel.ts";
import { type AuditedCall, isChild, isWrite } from "./audit.ts";
import { type Fleet, namespace } from "./fleets.ts";

export const bareNamespace = "bare";

/** A recorded write, moved to another namespace. */
export interface ReplayedCall {
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly type: string;
  readonly body: string;
  readonly isChild: boolean;
}

const methods = { create: "POST", update: "PUT", patch: "PATCH", delete: "DELETE" } as const;

/** The successful writes of a record; owners have the uid that they have in the other namespace. */
export function replayOf(calls: readonly AuditedCall[], uids: ReadonlyMap<string, string>): ReplayedCall[] {
  return calls
    .filter((call) => isWrite(call) && call.code < 300 && call.verb in methods && call.namespace === namespace)
    .map((call) => ({
      method: methods[call.verb as keyof typeof methods],
      path: call.uri.replace(`/namespaces/${namespace}/`, `/namespaces/${bareNamespace}/`),
      type: typeOf(call),
      body: JSON.stringify(moved(call.body ?? {}, uids)),
      isChild: isChild(call),
    }));
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

/** Creates the same services and makes the same writes, known beforehand; milliseconds to the last child and to the last write. */
export async function runBareClient(
  { client, transport }: { readonly client: KubeClient; readonly transport: Transport },
  {
    fleet,
    names,
    calls,
  }: { readonly fleet: Fleet; readonly names: readonly string[]; readonly calls: readonly AuditedCall[] },
): Promise<{ readonly lastChild: number; readonly whole: number; readonly failed: number }> {
  const began = performance.now();
  const created = new Map<string, string>();
  await inParallel(
    names.map((name) => async () => {
      for (const { kind, object } of fleet.objectsOf(name)) {
        const there = { ...object, metadata: { ...object.metadata, namespace: bareNamespace } };
        const { metadata } = await client.create(kind, there as KubeObject);
        created.set(`${kind.kind}/${metadata.name}`, metadata.uid ?? "");
      }
    }),
  );
  const paused = performance.now();
  const uids = new Map<string, string>();
  for (const { kind } of fleet.objectsOf("any"))
    for (const { metadata } of (await client.list(kind, { namespace })).items)
      uids.set(metadata.uid ?? "", created.get(`${kind.kind}/${metadata.name}`) ?? "");
  const replayed = replayOf(calls, uids);
  const skipped = performance.now() - paused;
  let lastChild = 0;
  let failed = 0;
  const since = (): number => performance.now() - began - skipped;
  await inParallel(
    replayed.map(({ method, path, type, body, isChild: isOfChild }) => async () => {
      const headers = { accept: "application/json", "content-type": type };
      const { status } = await transport({ method, path, headers, body });
      if (status >= 300) failed += 1;
      if (isOfChild) lastChild = since();
    }),
  );
  return { lastChild, whole: since(), failed };
}
