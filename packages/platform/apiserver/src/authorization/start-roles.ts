import { type AnyObject, type api, type ClusterRole, isReason, matchesLabels, selectorOf } from "@trivium/kube";
import { deepEqual } from "@trivium/std";
import type { Backend } from "../call.ts";
import { createInside } from "../controllers/inside.ts";
import { putAsController } from "../controllers/put-as-controller.ts";
import { idleWorker, KeyQueue, type Worker } from "../controllers/worker.ts";
import { objectAt } from "../storage/storage.ts";
import { type DefaultRole, defaultBindings, defaultRoles } from "./default-roles.ts";

const group = "rbac.authorization.k8s.io";
const clusterRoles = `clusterroles.${group}`;
const marks = {
  labels: { "kubernetes.io/bootstrapping": "rbac-defaults" },
  annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
};

/** Creates the roles that every cluster has, and keeps the rules of roles that aggregate others. */
export function startRoles(backend: Backend, log: (message: string, error?: unknown) => void): Worker {
  const { storage, registry } = backend;
  if (registry.storageOf(clusterRoles) === undefined) return idleWorker;
  const queue = new KeyQueue(
    (name) => aggregate(backend, name),
    (name, error) => log(`cannot aggregate ClusterRole ${name}`, error),
  );
  const review = (): void => {
    for (const { key, text } of storage.store.list(clusterRoles))
      if (text.includes('"aggregationRule"')) queue.add(key.name);
  };
  storage.onCommit(({ resource }) => {
    if (resource === clusterRoles) review();
  });
  const ready = (async () => {
    const roles = defaultRoles.map((role) => createMissing(backend, clusterRoles, roleOf(role)));
    const bindings = defaultBindings.map((one) =>
      createMissing(backend, `clusterrolebindings.${group}`, bindingOf(one)),
    );
    await Promise.all([...roles, ...bindings]);
    review();
    await queue.idle();
  })();
  return queue.asWorker(ready);
}

async function createMissing(backend: Backend, store: string, object: AnyObject): Promise<void> {
  const resource = backend.registry.storageOf(store);
  if (resource === undefined || backend.storage.get(resource, "", object.metadata.name ?? "") !== undefined) return;
  await createInside(backend, resource, object).catch((error: unknown) => {
    if (!isReason(error, "AlreadyExists")) throw error;
  });
}

function roleOf({ name, labels, rules, aggregates }: DefaultRole): AnyObject {
  return {
    apiVersion: `${group}/v1`,
    kind: "ClusterRole",
    metadata: { name, labels: { ...marks.labels, ...labels }, annotations: { ...marks.annotations } },
    ...(aggregates === undefined
      ? {}
      : { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregates]: "true" } }] } }),
    rules: structuredClone(rules ?? []) as never,
  };
}

function bindingOf({ name, groups }: { name: string; groups: readonly string[] }): AnyObject {
  return {
    apiVersion: `${group}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name, labels: { ...marks.labels }, annotations: { ...marks.annotations } },
    roleRef: { apiGroup: group, kind: "ClusterRole", name },
    subjects: groups.map((one) => ({ apiGroup: group, kind: "Group", name: one })),
  };
}

/** Writes into an aggregating role the rules of all roles that its selectors match. */
async function aggregate(backend: Backend, name: string): Promise<void> {
  const { storage, registry } = backend;
  const resource = registry.storageOf(clusterRoles);
  const stored = resource && storage.get(resource, "", name);
  if (resource === undefined || stored === undefined) return;
  const live = objectAt(resource, stored) as unknown as ClusterRole;
  if (live.aggregationRule === undefined || live.metadata.deletionTimestamp !== undefined) return;
  const rules = rulesUnder(backend, live);
  if (deepEqual(live.rules ?? [], rules)) return;
  await putAsController(backend, resource, { stored, next: { ...live, rules } as unknown as AnyObject });
}

function rulesUnder({ storage }: Backend, { metadata, aggregationRule }: ClusterRole): api.PolicyRule[] {
  const selectors = (aggregationRule?.clusterRoleSelectors ?? []).map(selectorOf);
  const rules = new Map<string, api.PolicyRule>();
  for (const { key, labels, text } of storage.store.list(clusterRoles)) {
    if (key.name === metadata.name || !selectors.some((selector) => matchesLabels(selector, labels))) continue;
    for (const rule of (JSON.parse(text) as ClusterRole).rules ?? []) rules.set(JSON.stringify(rule), rule);
  }
  return [...rules.values()];
}
