import { type AnyObject, isReason } from "@trivium/kube";
import type { Backend } from "../call.ts";
import type { Resource } from "../resource.ts";
import { objectAt } from "../storage/storage.ts";
import { createInside } from "./inside.ts";
import { clearNamespace } from "./namespace-clearing.ts";
import { idleWorker, KeyQueue, type Worker } from "./worker.ts";

export interface NamespacesOptions {
  readonly rootCertificate: string;
  log(message: string, error?: unknown): void;
}

const always = ["default", "kube-system", "kube-public", "kube-node-lease"];
const accountName = "default";
const certificateName = "kube-root-ca.crt";

/** Sees namespaces from their first day, when they get what every namespace has, to their last, when they are emptied. */
export function startNamespaces(backend: Backend, options: NamespacesOptions): Worker {
  const { storage, registry } = backend;
  const resource = registry.storageOf("namespaces");
  if (resource === undefined) return idleWorker;
  const leaving = new Set<string>();
  const queue = new KeyQueue(
    (name) => settle(backend, name, options),
    (name, error) => options.log(`cannot settle namespace ${name}`, error),
  );
  storage.onCommit(({ op, resource: of, object, stored }) => {
    const { namespace, name } = stored.key;
    if (of === "namespaces") {
      if (op === "delete") leaving.delete(name);
      else if (object.metadata.deletionTimestamp !== undefined) leaving.add(name);
      if (op === "put") queue.add(name);
    } else if (op === "delete" && (leaving.has(namespace) || isStanding(of, name))) queue.add(namespace);
  });
  const ready = (async () => {
    for (const name of always) await createNamespace(backend, resource, name);
    for (const stored of storage.store.list("namespaces")) {
      if (stored.text.includes('"deletionTimestamp"')) leaving.add(stored.key.name);
      queue.add(stored.key.name);
    }
    await queue.idle();
  })();
  return queue.asWorker(ready);
}

const isStanding = (resource: string, name: string): boolean =>
  (resource === "serviceaccounts" && name === accountName) || (resource === "configmaps" && name === certificateName);

async function createNamespace(backend: Backend, resource: Resource, name: string): Promise<void> {
  if (backend.storage.get(resource, "", name) !== undefined) return;
  await createInside(backend, resource, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
}

async function settle(backend: Backend, name: string, options: NamespacesOptions): Promise<void> {
  const resource = backend.registry.storageOf("namespaces") as Resource;
  const stored = backend.storage.get(resource, "", name);
  if (stored === undefined) return;
  const namespace = objectAt(resource, stored);
  if (namespace.metadata.deletionTimestamp === undefined) await prepare(backend, name, options.rootCertificate);
  else await clearNamespace(backend, resource, name);
}

/** A service account for pods and the certificate by which they know the server. */
async function prepare(backend: Backend, namespace: string, certificate: string): Promise<void> {
  const wanted: [string, AnyObject][] = [
    ["serviceaccounts", { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: accountName, namespace } }],
    [
      "configmaps",
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: {
          name: certificateName,
          namespace,
          annotations: { "kubernetes.io/description": "The certificate that the API server proves itself with" },
        },
        data: { "ca.crt": certificate },
      },
    ],
  ];
  for (const [store, object] of wanted) {
    const resource = backend.registry.storageOf(store);
    if (resource === undefined || backend.storage.get(resource, namespace, object.metadata.name ?? "") !== undefined)
      continue;
    await createInside(backend, resource, object).catch((error: unknown) => {
      // The namespace may be going, or someone made the object first.
      if (!isReason(error, "AlreadyExists", "Forbidden", "NotFound")) throw error;
    });
  }
}
